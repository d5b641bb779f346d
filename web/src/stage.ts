// What is drawn: one or two runs under one camera.
//
// The world of a scene is scaled so that its longest side is 1 and its middle the origin, y up; all
// lengths in shaders and controls are in that measure.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { FlatLiquid, makeFlatSolid, paintFlatSolid } from "./flat";
import { ParticleCloud, type Colouring } from "./particles";
import type { Frame, SceneInfo } from "./protocol";
import { makeFloor, makeSky, looks, setLook, sunDirection } from "./sky";
import { makeBox, makeSolid, placeAt } from "./solids";
import { WaterMaterials, WaterSurface } from "./water";

export interface Shown {
  water: boolean;
  points: boolean;
  colouring: Colouring;
  waterBySpeed: boolean;
}

/** One run: everything that frames move. */
class Run {
  readonly world = new THREE.Group(); // scaled, y up
  readonly tilted = new THREE.Group(); // turned about the middle of the domain
  readonly local = new THREE.Group(); // coordinates of the scene
  readonly opaque = new THREE.Scene();
  readonly clear = new THREE.Scene(); // glass and other things over the water
  readonly surface = new WaterSurface();
  readonly water: THREE.Mesh;
  readonly waterScene = new THREE.Scene();
  readonly cloud: ParticleCloud;
  readonly parts: THREE.Mesh[] = [];
  readonly flat: FlatLiquid | null = null;
  frame: Frame | null = null;

  constructor(readonly scene: SceneInfo, materials: WaterMaterials) {
    const size = Math.max(scene.hi[0] - scene.lo[0], scene.hi[1] - scene.lo[1], scene.dim === 3 ? scene.hi[2] - scene.lo[2] : 0);
    const middle = new THREE.Vector3(...scene.lo).add(new THREE.Vector3(...scene.hi)).multiplyScalar(0.5);
    if (scene.dim === 2) middle.z = 0;
    this.world.scale.setScalar(1 / size);
    if (scene.up === 2) this.world.rotation.x = -Math.PI / 2;
    this.local.position.copy(middle).negate();
    this.world.add(this.tilted);
    this.tilted.add(this.local);

    const clearLocal = new THREE.Group();
    this.water = new THREE.Mesh(this.surface.geometry, materials.surface);
    this.water.frustumCulled = false;
    this.cloud = new ParticleCloud(scene.gas, (scene.gas ? 1.6 : scene.tall ? 0.13 : 0.42) * scene.dx / size, scene.dim === 2);
    this.cloud.material.uniforms.white.value = scene.tall ? 1 : 0;
    for (const part of scene.meshes) if (part.positions.length > 0) this.parts.push(makeSolid(part));
    for (const part of scene.fields) this.parts.push(makeFlatSolid(part));
    if (scene.dim === 2) {
      this.flat = new FlatLiquid(scene.lo, scene.hi);
      this.local.add(this.flat.group);
      this.cloud.points.renderOrder = 3;
    }
    for (const mesh of this.parts) (mesh.userData.glass ? clearLocal : this.local).add(mesh);
    (scene.gas && scene.dim === 3 ? clearLocal : this.local).add(this.cloud.points);
    if (scene.dim === 3) clearLocal.add(makeBox(scene));
    else this.local.add(frameOf(scene));

    // Three groups with the same place, one for each pass.
    this.opaque.add(this.world);
    this.mirrors = [clearLocal, this.water].map((child, i) => {
      const world = new THREE.Group(), tilted = new THREE.Group(), local = new THREE.Group();
      world.scale.copy(this.world.scale);
      world.rotation.copy(this.world.rotation);
      local.position.copy(this.local.position);
      local.add(child);
      tilted.add(local);
      world.add(tilted);
      (i === 0 ? this.clear : this.waterScene).add(world);
      return tilted;
    });
  }
  private readonly mirrors: THREE.Group[];

  set(frame: Frame): void {
    this.frame = frame;
    if (this.flat) this.flat.set(frame);
    else this.surface.set(frame.positions, frame.indices, frame.speeds);
    this.cloud.set(frame);
    for (const mesh of this.parts) {
      const { part, index } = mesh.userData;
      const t = part === "body" ? frame.bodies[index] : part === "solid" ? frame.solids[index] : undefined;
      if (t) placeAt(mesh, t);
    }
    const axis = new THREE.Vector3(...frame.tilt);
    const angle = THREE.MathUtils.degToRad(axis.length());
    for (const group of [this.tilted, ...this.mirrors]) {
      group.quaternion.setFromAxisAngle(angle > 0 ? axis.clone().normalize() : new THREE.Vector3(0, 1, 0), angle);
      group.position.set(...frame.shift);
    }
  }
}

/** The border of a 2D domain. */
function frameOf(scene: SceneInfo): THREE.Object3D {
  const [x0, y0] = scene.lo, [x1, y1] = scene.hi;
  const g = new THREE.BufferGeometry().setFromPoints(
    [[x0, y0], [x1, y0], [x1, y1], [x0, y1]].map(([x, y]) => new THREE.Vector3(x, y, 0)));
  const line = new THREE.LineLoop(g, new THREE.LineBasicMaterial({ color: 0x7c8894, depthTest: false }));
  line.renderOrder = 7;
  return line;
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly controls: OrbitControls;
  camera: THREE.PerspectiveCamera | THREE.OrthographicCamera;
  scene: SceneInfo | null = null;
  shown: Shown = { water: true, points: false, colouring: "speed", waterBySpeed: false };
  drawn = 0; // pictures made
  readonly overlay = new THREE.Scene(); // marks of tools, in the measure of the stage
  private runs: Run[] = [];
  private readonly materials = new WaterMaterials();
  private readonly room = new THREE.Scene();
  private readonly sky = makeSky();
  private floor: THREE.Mesh | null = null;
  private readonly light = new THREE.DirectionalLight(0xffffff, 2.2);
  private readonly hemisphere = new THREE.HemisphereLight(0xffffff, 0x8890a0, 1.4);
  private readonly behind = new THREE.WebGLRenderTarget(4, 4, { type: THREE.HalfFloatType, depthTexture: new THREE.DepthTexture(4, 4) });
  private readonly thick = new THREE.WebGLRenderTarget(4, 4, { type: THREE.HalfFloatType, depthBuffer: false });
  private readonly perspective = new THREE.PerspectiveCamera(35, 1, 0.01, 40);
  private readonly orthographic = new THREE.OrthographicCamera(-1, 1, 1, -1, -10, 10);
  private dirty = true;
  covered = { left: 0, right: 0, top: 0, bottom: 0 }; // by panels, CSS pixels
  theme: "light" | "dark" = "light";

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, stencil: true, preserveDrawingBuffer: false });
    this.renderer.autoClear = false;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.camera = this.perspective;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.light.position.copy(sunDirection).multiplyScalar(3);
    this.light.castShadow = true;
    this.light.shadow.mapSize.set(1024, 1024);
    Object.assign(this.light.shadow.camera, { left: -1, right: 1, top: 1, bottom: -1, near: 0.5, far: 6 });
    this.light.shadow.bias = -0.0008;
    this.light.shadow.normalBias = 0.01;
    this.setTheme("light");
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? canvas);
    this.resize();
  }

  setTheme(theme: "light" | "dark"): void {
    this.theme = theme;
    setLook(looks[theme]);
    const dark = theme === "dark";
    this.hemisphere.intensity = dark ? 0.7 : 1.5;
    this.light.intensity = dark ? 2.4 : 2.0;
    this.dirty = true;
  }

  /** A new scene; the camera stays if it is the same one begun anew. */
  setScene(scene: SceneInfo): void {
    const same = this.scene?.name === scene.name && this.scene.dim === scene.dim &&
      JSON.stringify([this.scene.lo, this.scene.hi]) === JSON.stringify([scene.lo, scene.hi]);
    const before = this.runs;
    this.scene = scene;
    this.runs = scene.sides.map(() => new Run(scene, this.materials));
    if (before[0]?.scene.run === scene.run) this.runs.forEach((run, i) => before[i]?.frame && run.set(before[i].frame!));
    for (const run of before) run.surface.geometry.dispose();
    for (const run of this.runs) {
      run.opaque.add(this.light.clone(), this.hemisphere.clone());
    }
    this.materials.shared.colour.value.setRGB(...scene.colour, THREE.LinearSRGBColorSpace);
    this.room.clear();
    this.room.add(this.sky);
    this.floor = null;
    if (scene.dim === 3 && scene.floor) {
      const size = Math.max(...scene.hi.map((h, d) => h - scene.lo[d]));
      const up = scene.up;
      let bottom = -(scene.hi[up] - scene.lo[up]) / 2 / size;
      let narrow = 1;
      // A container without a box around it stands on its own foot.
      if (scene.walls === "hidden" && !scene.tall) {
        const glass = scene.meshes.filter((m) => m.look === "glass" && m.positions.length > 0);
        if (glass.length > 0) {
          const middle = (scene.hi[up] + scene.lo[up]) / 2;
          narrow = 0.55;
          bottom = Math.max(bottom, Math.min(...glass.map((m) => (m.lo[up] - middle) / size)));
        }
      }
      const wide = new THREE.Vector2((scene.hi[0] - scene.lo[0]) / 2 / size, (scene.hi[3 - up] - scene.lo[3 - up]) / 2 / size).multiplyScalar(narrow);
      this.floor = makeFloor(bottom - 0.004, wide);
      this.room.add(this.floor);
    }
    if (!same) this.lookFromStart();
    this.resize();
  }

  /** Where the scene says to look from. */
  lookFromStart(): void {
    const scene = this.scene;
    if (!scene) return;
    const world = this.runs[0].world;
    world.updateMatrixWorld(true);
    const place = (p: number[]) => this.runs[0].local.localToWorld(new THREE.Vector3(p[0], p[1], p[2]));
    const flat = scene.dim === 2;
    this.camera = flat ? this.orthographic : this.perspective;
    this.controls.object = this.camera;
    this.controls.enableRotate = !flat;
    this.controls.screenSpacePanning = true;
    if (flat) {
      this.orthographic.position.set(0, 0, 5);
      this.orthographic.zoom = 1;
      this.controls.target.set(0, 0, 0);
    } else {
      this.runs[0].tilted.quaternion.identity();
      this.perspective.position.copy(place(scene.camera));
      this.perspective.fov = scene.fov;
      this.controls.target.copy(place(scene.target));
    }
    this.controls.update();
    this.resize();
  }

  setFrame(frame: Frame): boolean {
    const run = this.runs[frame.side];
    if (!run || frame.run !== this.scene?.run) return false;
    run.set(frame);
    this.dirty = true;
    return true;
  }

  get sides(): number {
    return Math.max(1, this.runs.length);
  }
  frameOf(side: number): Frame | null {
    return this.runs[side]?.frame ?? null;
  }
  /** Coordinates of the scene as they are now drawn. */
  localOf(side: number): THREE.Group | null {
    return this.runs[side]?.local ?? null;
  }
  waterOf(side: number): THREE.Mesh | null {
    return this.runs[side]?.water ?? null;
  }
  bodiesOf(side: number): THREE.Mesh[] {
    return this.runs[side]?.parts.filter((m) => m.userData.part === "body") ?? [];
  }
  redraw(): void {
    this.dirty = true;
  }

  resize(): void {
    const box = this.canvas.parentElement!.getBoundingClientRect();
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(Math.max(2, box.width), Math.max(2, box.height), false);
    const width = box.width / this.sides, height = Math.max(1, box.height);
    this.perspective.aspect = width / height;
    // Panels hide the borders: the scene is fitted into what is left, and moved to its middle.
    const { left, right, top, bottom } = this.covered;
    const free = { width: Math.max(0.3, 1 - (left + right) / width), height: Math.max(0.3, 1 - (top + bottom) / height) };
    const scale = 1.04 / Math.min(1, free.height, free.width * this.perspective.aspect);
    this.perspective.setViewOffset(width, height, ((right - left) / 2) - (scale - 1) * width / 2, ((bottom - top) / 2) - (scale - 1) * height / 2, width * scale, height * scale);
    if (this.scene?.dim === 2) {
      const size = Math.max(this.scene.hi[0] - this.scene.lo[0], this.scene.hi[1] - this.scene.lo[1]);
      const w = (this.scene.hi[0] - this.scene.lo[0]) / size, h = (this.scene.hi[1] - this.scene.lo[1]) / size;
      const half = Math.max(h / free.height, (w / free.width) * height / width) * 0.5 * 1.06;
      const wide = half * width / height;
      const dx = ((right - left) / width) * wide, dy = ((bottom - top) / height) * half;
      Object.assign(this.orthographic, { left: -wide + dx, right: wide + dx, top: half - dy, bottom: -half - dy });
      this.orthographic.updateProjectionMatrix();
    }
    const ratio = this.renderer.getPixelRatio();
    this.behind.setSize(Math.max(2, Math.floor(width * ratio)), Math.max(2, Math.floor(height * ratio)));
    this.thick.setSize(this.behind.width, this.behind.height);
    this.dirty = true;
  }

  /** Draws if anything has changed. */
  draw(): boolean {
    this.controls.update();
    if (!this.dirty || !this.scene) return false;
    this.dirty = false;
    this.drawNow();
    return true;
  }

  drawNow(): void {
    const size = this.renderer.getSize(new THREE.Vector2());
    const width = Math.floor(size.x / this.sides);
    this.renderer.setRenderTarget(null);
    this.renderer.setScissorTest(false);
    this.renderer.setClearColor(this.theme === "dark" ? looks.dark.paper : looks.light.paper, 1);
    this.renderer.clear();
    this.runs.forEach((run, i) => {
      if (this.scene!.dim === 2) this.drawFlat(run, i * width, width, size.y);
      else this.drawDeep(run, i * width, width, size.y);
    });
    this.renderer.setScissorTest(false);
    ++this.drawn;
  }

  private viewport(x: number, width: number, height: number): void {
    this.renderer.setViewport(x, 0, width, height);
    this.renderer.setScissor(x, 0, width, height);
    this.renderer.setScissorTest(true);
  }

  private prepare(run: Run, height: number): void {
    run.cloud.setColouring(this.shown.colouring, height * this.renderer.getPixelRatio());
    run.cloud.points.visible = run.scene.gas || run.scene.tall || this.shown.points;
    const shade = run.cloud.material.uniforms.shade.value as THREE.Color;
    if (run.scene.gas) shade.setHex(this.theme === "dark" ? 0xc9ced6 : 0x5b6068);
  }

  private drawFlat(run: Run, x: number, width: number, height: number): void {
    this.prepare(run, height);
    if (run.flat) run.flat.group.visible = this.shown.water;
    for (const mesh of run.parts)
      if (mesh.userData.part === "solid") paintFlatSolid(mesh, this.theme === "dark");
    this.viewport(x, width, height);
    this.renderer.render(run.opaque, this.camera);
    this.renderer.render(this.overlay, this.camera);
  }

  private drawDeep(run: Run, x: number, width: number, height: number): void {
    const r = this.renderer;
    this.prepare(run, height);
    const water = this.shown.water && !run.scene.gas && (run.frame?.indices.length ?? 0) > 0;
    const ratio = r.getPixelRatio();
    if (water) {
      const u = this.materials.shared;
      u.range.value.set(this.perspective.near, this.perspective.far);
      u.bySpeed.value = this.shown.waterBySpeed ? 1 : 0;
      // What lies behind the water.
      r.setScissorTest(false);
      r.setRenderTarget(this.behind);
      r.clear();
      r.render(this.room, this.camera);
      r.render(run.opaque, this.camera);
      // How long the way through the water is.
      u.depthTexture.value = this.behind.depthTexture;
      u.view.value.set(0, 0, this.behind.width, this.behind.height);
      r.setRenderTarget(this.thick);
      r.setClearColor(0x000000, 0);
      r.clear();
      run.water.material = this.materials.thick;
      r.render(run.waterScene, this.camera);
      run.water.material = this.materials.surface;
      r.setRenderTarget(null);
      u.behind.value = this.behind.texture;
      u.thickness.value = this.thick.texture;
      u.view.value.set(Math.floor(x * ratio), 0, this.behind.width, this.behind.height);
    }
    this.viewport(x, width, height);
    r.render(this.room, this.camera);
    r.render(run.opaque, this.camera);
    if (water) r.render(run.waterScene, this.camera);
    r.render(run.clear, this.camera);
    r.render(this.overlay, this.camera);
  }

  /** The picture as a file's bytes. */
  picture(): Promise<Blob | null> {
    this.drawNow();
    return new Promise((done) => this.canvas.toBlob(done, "image/png"));
  }
}
