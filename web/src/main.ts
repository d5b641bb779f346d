// The page: wires the stream to the picture, the plots and the controls.

import { Connection } from "./connection";
import { makeFields } from "./parameters";
import type { Colouring } from "./particles";
import { Plots } from "./plots";
import type { BuiltinScene, Frame, SceneInfo, State, Text } from "./protocol";
import { Stage } from "./stage";
import { thumbnails } from "./thumbnails";
import { Tools, type Tool } from "./tools";

const $ = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T;

const stage = new Stage($<HTMLCanvasElement>("canvas"));
const plots = new Plots((name) => document.querySelector<HTMLCanvasElement>(`canvas[data-plot=${name}]`)!, $("legend"));
let state: State | null = null;
let scenes: BuiltinScene[] = [];
let controls = false;
let viewers = 0;
let connected = false;
let seeking = false;
let wantVideo = false;
let received = 0;
let particles = 0;
let shownTimes: number[] = [];
let readFields: () => Record<string, unknown> = () => ({});

const connection = new Connection({ text, scene, frame, connected: setConnected });
const say = (message: object) => connection.say(message);
const tools = new Tools(stage, say);

// ---- what the server says ----

function setConnected(yes: boolean): void {
  connected = yes;
  showStatus();
}

function text(message: Text): void {
  switch (message.type) {
    case "role":
      controls = message.controls;
      viewers = message.viewers;
      $("take").hidden = controls;
      showEnabled();
      break;
    case "scenes":
      scenes = message.scenes;
      break;
    case "state":
      state = message;
      showState();
      break;
    case "stats":
      particles = message.sides[0]?.steps?.at(-1)?.particles ?? 0;
      plots.add(message, displayRate(), stage.scene?.fps ?? 30);
      plotsDirty = true;
      break;
    case "error":
      $("error").textContent = message.text;
      $("error").hidden = false;
      break;
    case "refused":
      note(message.why);
      break;
  }
  showStatus();
}

function scene(s: SceneInfo): void {
  const anew = s.run !== stage.scene?.run;
  stage.setScene(s);
  if (anew) $("error").hidden = true;
  document.title = `${s.name} - slosh`;
  $("scene-name").textContent = s.name;
  $("scene-text").textContent = s.description;
  $("labels").replaceChildren(...s.sides.map((label) => Object.assign(document.createElement("span"), { textContent: label })));
  readFields = makeFields(s.parameters.filter((p) => p.key !== "separation" && p.key !== "solver"), $("fields"));
  const solver = s.parameters.find((p) => p.key === "solver");
  const select = $<HTMLSelectElement>("solver");
  select.replaceChildren(...(solver?.schema.enum ?? []).map((w) => new Option(String(w))));
  if (anew) tools.tilt.set(0, 0, 0);
  measure();
  const useful = new Set(["look", ...s.tools]);
  if (!useful.has(tools.tool)) chooseTool("look");
  showEnabled();
  showState();
}

function frame(f: Frame): void {
  ++received;
  if (!stage.setFrame(f)) return;
  shownTimes.push(performance.now());
  if (shownTimes.length > 40) shownTimes.shift();
  $("clock").textContent = `frame ${f.frame}   ${f.time.toFixed(2)} s`;
}

// ---- what is shown ----

let noteTimer = 0;
function note(words: string): void {
  $("note").textContent = words;
  $("note").hidden = false;
  clearTimeout(noteTimer);
  noteTimer = window.setTimeout(() => ($("note").hidden = true), 5000);
}

function displayRate(): number {
  if (shownTimes.length < 2) return 0;
  const seconds = (shownTimes[shownTimes.length - 1] - shownTimes[0]) / 1000;
  return seconds > 0 ? ((shownTimes.length - 1) / seconds) / stage.sides : 0;
}

function showStatus(): void {
  $("dot").classList.toggle("on", connected);
  const words: string[] = [];
  if (!connected) words.push("no connection, trying again");
  else {
    if (state?.live && state.pace > 0) words.push(`${state.pace.toFixed(state.pace < 1 ? 2 : 1)}x real time`);
    if (state && state.bytes > 0) words.push(`${Math.round(state.bytes / 1024)} kB a frame`);
    if (viewers > 1) words.push(`${viewers} viewers`);
    if (!controls) words.push("watching");
  }
  $("status-text").textContent = words.join("  ·  ");
}

function showEnabled(): void {
  const s = stage.scene;
  const can = new Set(s?.tools ?? []);
  for (const b of document.querySelectorAll<HTMLButtonElement>("#tools button[data-tool]"))
    b.disabled = b.dataset.tool !== "look" && (!controls || !can.has(b.dataset.tool!));
  for (const id of ["level", "shake"]) $<HTMLButtonElement>(id).disabled = !controls || !can.has("tilt");
  const particles = controls && !!s?.live && !s.tall && !s.gas;
  const walls = particles || (controls && !!s?.live && s.tall);
  for (const id of ["compare"]) $<HTMLInputElement>(id).disabled = !particles;
  $<HTMLInputElement>("separate").disabled = !walls || !!state?.compare;
  $<HTMLInputElement>("solver").disabled = !particles || !!state?.compare;
  for (const id of ["play", "step", "reset", "seek", "video", "show-points"]) $<HTMLButtonElement>(id).disabled = !controls;
  $("parameters").hidden = !s?.live;
  $<HTMLButtonElement>("apply").disabled = !controls;
}

function showState(): void {
  if (!state) return;
  const s = state;
  $("play-icon").setAttribute("d", s.playing ? "M7 5h4v14H7zM14 5h4v14h-4z" : "M8 5l11 7-11 7z");
  $("play").setAttribute("aria-label", s.playing ? "Pause" : "Play");
  const seek = $<HTMLInputElement>("seek");
  seek.max = String(Math.max(2, s.total));
  if (!seeking) seek.value = String(s.frame);
  const span = Math.max(1, Math.max(2, s.total) - 1);
  $("computed").style.left = `${(100 * (s.first - 1)) / span}%`;
  $("computed").style.width = `${(100 * Math.max(0, s.last - s.first)) / span}%`;
  $("track").title = `frames ${s.first} to ${s.last} of ${s.total} are there`;
  $<HTMLInputElement>("separate").checked = s.separation !== "off";
  $<HTMLSelectElement>("solver").value = s.solver;
  $<HTMLInputElement>("compare").checked = s.compare;
  if (document.activeElement !== $("show-points")) $<HTMLInputElement>("show-points").checked = s.points;
  stage.shown.points = s.points;
  const video = $<HTMLButtonElement>("video");
  video.textContent = s.video.busy ? `Video ${s.video.done}/${s.video.of}` : "Video";
  if (wantVideo && s.video.ready && !s.video.busy) {
    wantVideo = false;
    download(`/video.mp4${location.search}`, `${stage.scene?.name ?? "slosh"}.mp4`);
  }
  stage.redraw();
  showEnabled();
}

function download(href: string, name: string): void {
  const a = Object.assign(document.createElement("a"), { href, download: name });
  document.body.append(a);
  a.click();
  a.remove();
}

// ---- what is asked ----

function chooseTool(tool: Tool): void {
  tools.choose(tool);
  for (const b of document.querySelectorAll<HTMLButtonElement>("#tools button[data-tool]"))
    b.setAttribute("aria-pressed", String(b.dataset.tool === tool));
}
const togglePlay = () => say({ do: state?.playing ? "pause" : "play" });

$("play").onclick = togglePlay;
$("step").onclick = () => say({ do: "step" });
$("reset").onclick = () => say({ do: "reset" });
$("take").onclick = () => say({ do: "take" });
const seek = $<HTMLInputElement>("seek");
seek.oninput = () => {
  seeking = true;
  if (state) seek.value = String(Math.min(state.last, Math.max(state.first, Number(seek.value))));
  say({ do: "seek", frame: Number(seek.value) });
};
seek.onchange = () => (seeking = false);

for (const b of document.querySelectorAll<HTMLButtonElement>("#tools button[data-tool]")) b.onclick = () => chooseTool(b.dataset.tool as Tool);
$("level").onclick = () => tools.level();
$("shake").onclick = () => tools.shake();

function sayWalls(): void {
  const on = $<HTMLInputElement>("separate").checked;
  let solver = $<HTMLSelectElement>("solver").value || "auto";
  if (solver.startsWith("linear") === on) solver = "auto"; // each kind of wall has its own solvers
  const now = state?.separation;
  say({ do: "walls", separation: on ? (now && now !== "off" ? now : "cell") : "off", solver });
}
$("separate").onchange = sayWalls;
$("solver").onchange = () => {
  const word = $<HTMLSelectElement>("solver").value;
  if (word !== "auto") $<HTMLInputElement>("separate").checked = !word.startsWith("linear");
  sayWalls();
};
$("compare").onchange = () => say({ do: "compare", on: $<HTMLInputElement>("compare").checked });
$("show-points").onchange = () => {
  say({ do: "points", on: $<HTMLInputElement>("show-points").checked });
  $("show-points").blur();
};
$("show-water").onchange = () => {
  stage.shown.water = $<HTMLInputElement>("show-water").checked;
  stage.redraw();
};
$("show-speed").onchange = () => {
  stage.shown.waterBySpeed = $<HTMLInputElement>("show-speed").checked;
  stage.redraw();
};
$("colouring").onchange = () => {
  stage.shown.colouring = $<HTMLSelectElement>("colouring").value as Colouring;
  stage.redraw();
};
$("start-view").onclick = () => stage.lookFromStart();
$("fields-form").onsubmit = (e) => {
  e.preventDefault();
  const values = readFields();
  if (Object.keys(values).length === 0) note("nothing was changed");
  else say({ do: "set", values });
};

$("picture").onclick = async () => {
  const blob = await stage.picture();
  if (!blob) return note("the browser gives no picture");
  const url = URL.createObjectURL(blob);
  download(url, `${stage.scene?.name ?? "slosh"}-${String(state?.frame ?? 0).padStart(4, "0")}.png`);
  setTimeout(() => URL.revokeObjectURL(url), 5000);
};
$("video").onclick = () => {
  wantVideo = true;
  say({ do: "video" });
};

function setTheme(theme: "light" | "dark"): void {
  document.documentElement.dataset.theme = theme;
  stage.setTheme(theme);
  plotsDirty = true;
}
$("theme").onclick = () => setTheme(stage.theme === "dark" ? "light" : "dark");

/** Tells the stage what panels leave of it. */
function measure(): void {
  const narrow = innerWidth < 760;
  const side = !$("side").hidden && !narrow ? 306 : 0;
  // Two runs share what the panel leaves, each in the middle of its half; one is moved out of its way.
  const two = stage.sides > 1;
  $("view").style.right = two ? `${side}px` : "0";
  stage.covered = { left: narrow ? 0 : 70, right: two ? (narrow ? 0 : 70) : side, top: 60, bottom: narrow ? 130 : 68 };
  stage.resize();
}
function toggleSide(): void {
  const side = $("side");
  side.hidden = !side.hidden;
  measure();
  $("side-button").setAttribute("aria-expanded", String(!side.hidden));
}
$("side-button").onclick = toggleSide;

function openPicker(): void {
  const cards = scenes.map((s) => {
    const card = document.createElement("button");
    card.className = "card";
    card.dataset.scene = s.name;
    const picture = thumbnails[s.name] ? Object.assign(document.createElement("img"), { src: thumbnails[s.name], alt: "", loading: "lazy" }) : document.createElement("i");
    const words = document.createElement("div");
    words.append(Object.assign(document.createElement("b"), { textContent: s.name }), Object.assign(document.createElement("span"), { textContent: s.description }));
    card.append(picture, words);
    card.onclick = () => {
      say({ do: "scene", name: s.name });
      $<HTMLDialogElement>("picker").close();
    };
    return card;
  });
  $("cards").replaceChildren(...cards);
  $<HTMLDialogElement>("picker").showModal();
}
$("scene-button").onclick = openPicker;
$("picker-close").onclick = () => $<HTMLDialogElement>("picker").close();

const keys: Record<string, () => void> = {
  " ": togglePlay, ".": () => say({ do: "step" }), Home: () => say({ do: "reset" }), o: openPicker,
  "1": () => pick("look"), "2": () => pick("drag"), "3": () => pick("pour"), "4": () => pick("push"), "5": () => pick("tilt"),
  s: () => tools.shake(), u: () => tools.level(), f: () => stage.lookFromStart(), m: toggleSide,
  t: () => setTheme(stage.theme === "dark" ? "light" : "dark"), p: () => $("show-points").click(),
  w: () => $("separate").click(), c: () => $("compare").click(),
};
function pick(tool: Tool): void {
  if (!document.querySelector<HTMLButtonElement>(`#tools button[data-tool=${tool}]`)!.disabled) chooseTool(tool);
}
const ORBIT: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
addEventListener("keydown", (e) => {
  const at = e.target as HTMLElement;
  if (e.ctrlKey || e.metaKey || e.altKey || $<HTMLDialogElement>("picker").open) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName) || (at.tagName === "BUTTON" && (e.key === " " || e.key === "Enter"))) return;
  const arrow = ORBIT[e.key];
  if (arrow && at === stage.canvas) {
    const c = stage.controls;
    const offset = stage.camera.position.clone().sub(c.target);
    if (stage.scene?.dim === 3) {
      const y = Math.atan2(offset.x, offset.z) + arrow[0] * 0.08;
      const r = Math.hypot(offset.x, offset.z), length = offset.length();
      const lift = Math.min(1.5, Math.max(-1.2, Math.atan2(offset.y, r) - arrow[1] * 0.08));
      offset.set(Math.sin(y) * Math.cos(lift), Math.sin(lift), Math.cos(y) * Math.cos(lift)).multiplyScalar(length);
      stage.camera.position.copy(c.target).add(offset);
    } else {
      c.target.x += arrow[0] * 0.03;
      c.target.y -= arrow[1] * 0.03;
      stage.camera.position.x = c.target.x;
      stage.camera.position.y = c.target.y;
    }
    stage.redraw();
    e.preventDefault();
    return;
  }
  const act = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key];
  if (act) {
    act();
    e.preventDefault();
  }
});

// ---- on ----

let plotsDirty = true;
let lastPlots = 0;
function tick(now: number): void {
  stage.draw();
  if (plotsDirty && now - lastPlots > 250 && !$("side").hidden) {
    plots.draw();
    plotsDirty = false;
    lastPlots = now;
  }
  requestAnimationFrame(tick);
}
setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
addEventListener("resize", measure);
if (innerWidth < 760) toggleSide();
chooseTool("look");
showStatus();
requestAnimationFrame(tick);

// For tests: what came, what was drawn.
Object.assign(window, {
  sloshPage: {
    stage,
    say,
    get particles() { return particles; },
    get received() { return received; },
    get drawn() { return stage.drawn; },
    get state() { return state; },
    get controls() { return controls; },
    get connected() { return connected; },
  },
});
