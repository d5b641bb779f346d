// The page in a headless browser against the real server. Frames are counted, never their rate.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, open, serve, until } from "./browser.mjs";

const SLOSH = process.env.SLOSH ?? "build/release/slosh";
const browser = await launch();
const only = process.argv.slice(2);

/** What is on the canvas, coarsely: sums of colours over a grid of 24 x 18 patches. */
const picture = (page) => page.evaluate(async () => {
  const blob = await window.sloshPage.stage.picture();
  const bitmap = await createImageBitmap(blob);
  const small = new OffscreenCanvas(24, 18);
  const c = small.getContext("2d");
  c.drawImage(bitmap, 0, 0, 24, 18);
  return [...c.getImageData(0, 0, 24, 18).data];
});
const difference = (a, b) => a.reduce((sum, v, i) => sum + Math.abs(v - b[i]), 0) / a.length;
/** How far the picture is from one colour. */
const contrast = (p) => {
  let low = 255, high = 0;
  for (let i = 0; i < p.length; i += 4) { low = Math.min(low, p[i]); high = Math.max(high, p[i]); }
  return high - low;
};
const click = (p, id) => p.evaluate((i) => document.getElementById(i).click(), id);
const say = (p, message) => p.evaluate((m) => window.sloshPage.say(m), message);
const shown = (p) => until(p, () => window.sloshPage?.stage.frameOf(0) && window.sloshPage.controls && window.sloshPage.state?.frame >= 1 && window.sloshPage.drawn >= 1);

/// Goes on to frame n step by step: a run that plays and is late leaves frames out, n perhaps.
async function stepTo(p, n) {
  for (;;) {
    const at = await p.evaluate(() => window.sloshPage.state.frame);
    if (at >= n) break;
    await say(p, { do: "step" });
    await until(p, (f) => window.sloshPage.state.frame > f, at);
  }
  await until(p, (f) => window.sloshPage.stage.frameOf(0).frame === f, n);
}

async function test(name, body) {
  if (only.length > 0 && !only.includes(name)) return;
  const started = performance.now();
  await body();
  for (const context of browser.contexts()) await context.close(); // a page left open goes on drawing
  console.log(`${name} ok (${((performance.now() - started) / 1000).toFixed(1)} s)`);
}

try {
  await test("loads, is not blank, changes as the run goes", async () => {
    const server = await serve("sphere", "--resolution", "24", "--paused", "--port", "0");
    const { page: p, errors } = await open(browser, server.link);
    await until(p, () => window.sloshPage?.drawn > 0 && window.sloshPage.stage.frameOf(0));
    console.log(`  first picture ${((performance.now() - server.started) / 1000).toFixed(2)} s after the start of slosh`);
    const first = await picture(p);
    assert(contrast(first) > 25, `the canvas is blank: ${contrast(first)}`);
    await until(p, () => window.sloshPage.controls);
    await click(p, "play");
    await until(p, () => window.sloshPage.stage.frameOf(0).frame >= 14);
    await click(p, "play");
    await until(p, () => !window.sloshPage.state.playing);
    const later = await picture(p);
    console.log(`  mean change of a colour ${difference(first, later).toFixed(1)} of 255`);
    assert(difference(first, later) > 1, `nothing changes: ${difference(first, later)}`);
    // Plots have something to show.
    await until(p, () => document.querySelector("canvas[data-plot=residual]").width > 0);
    assert.equal(errors.join("\n"), "");
    await server.stop();
  });

  await test("scrubs through a cached run", async () => {
    const folder = mkdtempSync(join(tmpdir(), "slosh-page-"));
    try {
      execFileSync(SLOSH, ["run", "circle", "--resolution", "40", "--frames", "16", "-o", join(folder, "run"), "--no-video", "-q"]);
      const server = await serve(join(folder, "run"), "--paused", "--port", "0");
      const { page: p, errors } = await open(browser, server.link);
      await shown(p);
      const first = await picture(p);
      const seek = async (n) => {
        await p.evaluate((f) => { const s = document.getElementById("seek"); s.value = f; s.dispatchEvent(new Event("input")); s.dispatchEvent(new Event("change")); }, n);
        await until(p, (f) => window.sloshPage.stage.frameOf(0).frame === f, n);
        return picture(p);
      };
      const middle = await seek(14);
      assert(difference(first, middle) > 1, "another frame looks the same");
      assert.equal(await p.evaluate(() => document.getElementById("computed").style.width), "100%");
      assert(difference(await seek(1), first) < 0.5, "the first frame is another one now");
      assert(difference(await seek(14), middle) < 0.5, "frame 14 is another one now");
      assert.equal(errors.join("\n"), "");
      await server.stop();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  await test("toggled separation changes the run, side by side shows two", async () => {
    const server = await serve("ball_circle", "--resolution", "40", "--paused", "--port", "0");
    const { page: p, errors } = await open(browser, server.link, { width: 900 });
    await shown(p);
    const sumAt = async (n) => {
      await stepTo(p, n);
      return p.evaluate(() => [...window.sloshPage.stage.frameOf(0).positions].reduce((a, b) => a + b, 0));
    };
    const separating = await sumAt(24);
    await click(p, "reset");
    await until(p, () => window.sloshPage.state.run === 2 && window.sloshPage.stage.frameOf(0)?.run === 2);
    await click(p, "separate");
    await until(p, () => window.sloshPage.state.separation === "off");
    const sticky = await sumAt(24);
    assert.notEqual(sticky, separating);

    // Both, under one camera.
    await click(p, "compare");
    await until(p, () => window.sloshPage.state.run === 3 && window.sloshPage.stage.frameOf(1)?.run === 3);
    await stepTo(p, 24);
    await click(p, "play");
    await until(p, () => window.sloshPage.stage.frameOf(1)?.frame > 24);
    await click(p, "play");
    await until(p, () => !window.sloshPage.state.playing);
    await say(p, { do: "seek", frame: 24 });
    await until(p, () => window.sloshPage.stage.frameOf(0).frame === 24 && window.sloshPage.stage.frameOf(1).frame === 24);
    const sums = await p.evaluate(() => [0, 1].map((s) => [...window.sloshPage.stage.frameOf(s).positions].reduce((a, b) => a + b, 0)));
    assert(Math.abs(sums[0] - sticky) < 1e-6 * Math.abs(sticky), "left is not the sticky run");
    assert(Math.abs(sums[1] - separating) < 1e-6 * Math.abs(separating), "right is not the separating run");
    const both = await picture(p);
    const half = (side) => both.filter((_, i) => Math.floor(i / 4) % 24 < 12 === (side === 0));
    assert(contrast(half(0)) > 25 && contrast(half(1)) > 25, "one side is blank");
    assert(difference(half(0), half(1)) > 0.3, "both sides look the same");
    assert.equal(errors.join("\n"), "");
    await server.stop();
  });

  await test("a body follows the hand", async () => {
    const server = await serve("box_in_tube", "--paused", "--port", "0"); // a heavy box, that sinks when it is let alone
    const { page: p, errors } = await open(browser, server.link, { width: 800, height: 600 });
    await shown(p);
    await until(p, () => !document.querySelector("[data-tool=drag]").disabled);
    await p.keyboard.press("2");
    // Where the box is on the screen.
    const place = () => p.evaluate(() => {
      const { stage } = window.sloshPage;
      stage.camera.updateMatrixWorld(); // as it will be drawn next
      const body = stage.bodiesOf(0)[0];
      body.updateWorldMatrix(true, false);
      body.geometry.computeBoundingBox();
      const v = body.geometry.boundingBox.getCenter(stage.camera.position.clone()).applyMatrix4(body.matrixWorld);
      const local = stage.localOf(0).worldToLocal(v.clone());
      v.project(stage.camera);
      const box = stage.canvas.getBoundingClientRect();
      return { x: box.left + ((v.x + 1) / 2) * box.width, y: box.top + ((1 - v.y) / 2) * box.height, at: local.toArray() };
    });
    const start = await place();
    await p.mouse.move(start.x, start.y);
    await p.mouse.down();
    await p.mouse.move(start.x, start.y - 60, { steps: 4 });
    // Grabbed before the first step, so that what follows does not depend on how fast this machine is.
    await stepTo(p, 45);
    const held = await place();
    await p.mouse.up();
    console.log(`  lifted by ${(start.y - held.y).toFixed(1)} of 60 pixels`);
    assert(start.y - held.y > 40, `the box was not lifted: ${start.y} to ${held.y}`);
    assert.equal(errors.join("\n"), "");
    await server.stop();
  });

  await test("water is poured, tilted and pushed", async () => {
    const server = await serve("square", "--resolution", "32", "--port", "0");
    const { page: p, errors } = await open(browser, server.link, { width: 800, height: 600 });
    await shown(p);
    const particles = () => p.evaluate(() => window.sloshPage.particles);
    await until(p, () => window.sloshPage.particles > 0);
    const before = await particles();
    const box = await p.evaluate(() => { const b = window.sloshPage.stage.canvas.getBoundingClientRect(); return [b.width, b.height]; });
    await p.keyboard.press("3");
    await p.mouse.move(box[0] * 0.36, box[1] * 0.35);
    await p.mouse.down();
    await until(p, (n) => window.sloshPage.particles > n, before + 50);
    await p.mouse.up();
    await p.keyboard.press("5");
    await p.mouse.move(box[0] * 0.4, box[1] * 0.5);
    await p.mouse.down();
    await p.mouse.move(box[0] * 0.55, box[1] * 0.5, { steps: 3 });
    await until(p, () => Math.abs(window.sloshPage.stage.frameOf(0).tilt[2]) > 10);
    await p.mouse.up();
    await p.keyboard.press("u");
    await until(p, () => window.sloshPage.stage.frameOf(0).tilt[2] === 0);
    await p.keyboard.press("s");
    await until(p, () => Math.abs(window.sloshPage.stage.frameOf(0).shift[0]) > 0.002);
    assert.equal(errors.join("\n"), "");
    await server.stop();
  });

  await test("scenes and parameters are chosen; keyboard, themes, picture", async () => {
    const server = await serve("square", "--resolution", "24", "--port", "0");
    const { page: p, errors } = await open(browser, server.link, { width: 800 });
    await shown(p);
    await p.keyboard.press("o");
    const cards = await p.evaluate(() => document.querySelectorAll("#cards .card img").length);
    assert(cards >= 20, `${cards} pictures of scenes`);
    await p.click("[data-scene=circle]");
    await until(p, () => window.sloshPage.stage.scene?.name === "circle" && window.sloshPage.stage.frameOf(0));
    await p.fill("input[name=resolution]", "32");
    await click(p, "apply");
    await until(p, () => window.sloshPage.stage.scene.cells[0] === 32);
    await p.fill("input[name=cfl]", "2");
    const light = await picture(p);
    await p.evaluate(() => document.activeElement.blur());
    await p.keyboard.press("t");
    assert(difference(await picture(p), light) > 20, "dark is not dark");
    await p.keyboard.press("p");
    await until(p, () => window.sloshPage.stage.frameOf(0)?.points.length > 300);
    const [download] = await Promise.all([p.waitForEvent("download"), click(p, "picture")]);
    assert(download.suggestedFilename().endsWith(".png"));
    assert.equal(errors.join("\n"), "");
    await server.stop();
  });

  await test("a killed and restarted server is rejoined", async () => {
    const first = await serve("square", "--resolution", "24", "--port", "0");
    const { page: p } = await open(browser, first.link);
    await shown(p);
    first.child.removeAllListeners("exit");
    first.child.kill("SIGKILL");
    await until(p, () => !window.sloshPage.connected);
    const second = await serve("circle", "--resolution", "24", "--port", String(first.port));
    await until(p, () => window.sloshPage.connected && window.sloshPage.stage.scene.name === "circle" && window.sloshPage.stage.frameOf(0));
    const drawn = await p.evaluate(() => window.sloshPage.drawn);
    await until(p, (n) => window.sloshPage.drawn > n, drawn);
    await second.stop();
  });

  await test("a run's error is shown in the words of the terminal", async () => {
    const server = await serve("square", "--resolution", "24", "--set", "tolerance=1e-14", "--set", "max_iterations=1", "--set", "min_dt=0.02", "--port", "0");
    const { page: p } = await open(browser, server.link);
    await until(p, () => !document.getElementById("error").hidden);
    const words = await p.evaluate(() => document.getElementById("error").textContent);
    assert(words.includes("did not converge") && server.errors().includes(words), words);
    await server.stop();
  });
} finally {
  await browser.close();
}
