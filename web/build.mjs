// Builds dist/index.html: the page, its style, its script and its pictures in one file.
//
//     npm ci && npm run build
//
// The same sources give the same bytes. The file holds a hash of them, so that a test can tell
// whether it is up to date without building it.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const web = dirname(fileURLToPath(import.meta.url));
const read = (...path) => readFileSync(join(web, ...path), "utf8");

/** Of all that the page is made from; tests/view/bundle_test.py computes the same. */
function sourcesHash() {
  const files = ["build.mjs", "package-lock.json"];
  for (const folder of ["src", "thumbs"]) for (const name of readdirSync(join(web, folder))) files.push(`${folder}/${name}`);
  const hash = createHash("sha256");
  for (const name of files.sort()) hash.update(name + "\0").update(readFileSync(join(web, name))).update("\0");
  return hash.digest("hex");
}

const bundle = await build({
  entryPoints: [join(web, "src/main.ts")],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  banner: { js: "/* slosh; three.js (MIT licence, three.js authors) */" },
  plugins: [{
    // Pictures of scenes by name: thumbs/NAME.webp.
    name: "thumbnails",
    setup(b) {
      b.onResolve({ filter: /^\.\/thumbnails$/ }, () => ({ path: "thumbnails", namespace: "thumbnails" }));
      b.onLoad({ filter: /.*/, namespace: "thumbnails" }, () => {
        const all = {};
        for (const name of readdirSync(join(web, "thumbs")).sort())
          all[name.replace(/\.webp$/, "")] = "data:image/webp;base64," + readFileSync(join(web, "thumbs", name)).toString("base64");
        return { contents: `export const thumbnails = ${JSON.stringify(all)};`, loader: "js" };
      });
    },
  }],
});
const style = await build({ entryPoints: [join(web, "src/style.css")], minify: true, write: false });
const script = bundle.outputFiles[0].text.replaceAll("</script", "<\\/script");
const parts = { SOURCES: sourcesHash(), STYLE: style.outputFiles[0].text, SCRIPT: script };
const page = read("src/index.html").replace(/@(SOURCES|STYLE|SCRIPT)@/g, (_, name) => parts[name]);
mkdirSync(join(web, "dist"), { recursive: true });
writeFileSync(join(web, "dist/index.html"), page);
console.log(`dist/index.html: ${Math.round(page.length / 1024)} kB`);
