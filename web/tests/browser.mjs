// A real server and a headless browser, for tests and for pictures of the page.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const SLOSH = process.env.SLOSH ?? "build/release/slosh";

/** Starts `slosh view ARGS`; resolves when it has printed its link. */
export async function serve(...args) {
  const started = performance.now();
  const child = spawn(SLOSH, ["view", "--no-browser", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  process.on("exit", () => child.kill("SIGKILL")); // a failed test leaves no run behind
  let errors = "";
  child.stderr.on("data", (d) => (errors += d));
  const link = await new Promise((done, fail) => {
    let out = "";
    child.stdout.on("data", (d) => {
      out += d;
      const found = out.match(/open (\S+)/);
      if (found) done(found[1]);
    });
    child.on("exit", (code) => fail(new Error(`slosh view ended with ${code}: ${errors}`)));
  });
  return {
    link,
    port: Number(new URL(link).port),
    child,
    started,
    errors: () => errors,
    stop: () => new Promise((done) => {
      if (child.exitCode !== null || child.signalCode !== null) return done();
      child.removeAllListeners("exit");
      child.on("exit", done);
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), 5000).unref();
    }),
  };
}

export async function launch() {
  const path = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (!path) throw new Error("no chromium found; apt-get install chromium");
  return chromium.launch({
    executablePath: path,
    headless: true,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
      ...(process.env.SLOSH_PAGE ? ["--disable-features=LocalNetworkAccessChecks"] : [])],
  });
}

/** A page whose errors are kept. */
export async function open(browser, link, { width = 640, height = 480, dark = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  page.setDefaultTimeout(60000); // other tests may want the machine, too
  const errors = [];
  page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
  page.on("pageerror", (e) => errors.push(String(e)));
  // A page that is not compiled in yet: SLOSH_PAGE=web/dist/index.html.
  if (process.env.SLOSH_PAGE) await page.route(/\/(\?.*)?$/, (r) => r.fulfill({ path: process.env.SLOSH_PAGE, contentType: "text/html" }));
  await page.goto(link);
  return { page, errors };
}

/** Waits until `condition`, a function for the page, holds. */
export const until = (page, condition, argument, timeout = 60000) =>
  page.waitForFunction(condition, argument, { timeout, polling: 50 });
