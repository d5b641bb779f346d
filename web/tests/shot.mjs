// A picture of the page: node web/tests/shot.mjs OUT.png WIDTH HEIGHT FRAMES light|dark SCRIPT -- VIEW-ARGS
// SCRIPT runs in the page before the frames are waited for ("" for none).
import { launch, open, serve, until } from "./browser.mjs";

const [out, width, height, frames, theme, script] = process.argv.slice(2);
const server = await serve(...process.argv.slice(process.argv.indexOf("--") + 1), "--port", "0");
const browser = await launch();
try {
  const { page, errors } = await open(browser, server.link, { width: +width, height: +height, dark: theme === "dark" });
  await until(page, () => window.sloshPage?.state && window.sloshPage.drawn > 0, null, 120000);
  if (script) {
    const run = await page.evaluate(() => window.sloshPage.state.run);
    await page.evaluate(script);
    if (script.includes("compare")) await until(page, (r) => window.sloshPage.state.run > r, run);
  }
  await until(page, (n) => window.sloshPage.state.frame >= n, +frames, 240000);
  await page.evaluate(() => document.getElementById("play").click());
  await until(page, () => !window.sloshPage.state.playing, null, 120000);
  await page.waitForTimeout(600);
  await page.screenshot({ path: out });
  console.log(await page.evaluate(() => JSON.stringify({ ...window.sloshPage.state, received: window.sloshPage.received, drawn: window.sloshPage.drawn })));
  for (const e of new Set(errors)) console.log("console error:", e);
} finally {
  await browser.close();
  await server.stop();
}
