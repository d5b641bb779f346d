// Hands: what the pointer does to the water, by the tool that is chosen.

import * as THREE from "three";
import type { Stage } from "./stage";

export type Tool = "look" | "drag" | "pour" | "push" | "tilt";

const TILT_MOST = 40; // degrees
const JET = 0.045; // radius of pouring, of the domain's size
const PALM = 0.09; // radius of pushing

export class Tools {
  tool: Tool = "look";
  tilt = new THREE.Vector3(); // degrees, a rotation vector in the scene's frame
  private pointer: number | null = null;
  private side = 0;
  private grabbed: { body: number; grab: THREE.Vector3 } | null = null;
  private plane = new THREE.Plane();
  private last: { at: THREE.Vector3; time: number } | null = null;
  private still = 0; // timer
  private start = { x: 0, y: 0, tilt: new THREE.Vector3() };
  private readonly mark: THREE.Mesh;
  private readonly rope: THREE.Line;

  constructor(private readonly stage: Stage, private readonly say: (message: object) => void) {
    this.mark = new THREE.Mesh(new THREE.SphereGeometry(1, 24, 16),
      new THREE.MeshBasicMaterial({ color: 0xff8a3d, transparent: true, opacity: 0.55, depthTest: false }));
    this.rope = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]),
      new THREE.LineBasicMaterial({ color: 0xff8a3d, depthTest: false }));
    this.rope.frustumCulled = false;
    this.mark.visible = this.rope.visible = false;
    stage.overlay.add(this.mark, this.rope);
    const c = stage.canvas;
    c.addEventListener("pointerdown", (e) => this.down(e));
    c.addEventListener("pointermove", (e) => this.move(e));
    c.addEventListener("pointerup", (e) => this.up(e));
    c.addEventListener("pointercancel", (e) => this.up(e));
  }

  choose(tool: Tool): void {
    this.letGo();
    this.tool = tool;
    // The left button (or one finger) is the hand; the others still move the camera.
    const look = tool === "look";
    this.stage.controls.mouseButtons.LEFT = look ? THREE.MOUSE.ROTATE : null;
    this.stage.controls.touches.ONE = look ? THREE.TOUCH.ROTATE : null;
    this.stage.canvas.style.cursor = look ? "grab" : "crosshair";
  }

  level(): void {
    this.tilt.set(0, 0, 0);
    this.say({ do: "tilt", degrees: [0, 0, 0] });
  }
  shake(): void {
    this.say({ do: "shake" });
  }

  /** The ray under the pointer, in the measure of the stage. */
  private ray(e: PointerEvent): THREE.Ray {
    const box = this.stage.canvas.getBoundingClientRect();
    const width = box.width / this.stage.sides;
    const x = (e.clientX - box.left - this.side * width) / width, y = (e.clientY - box.top) / box.height;
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2(2 * x - 1, 1 - 2 * y), this.stage.camera);
    return caster.ray;
  }
  private inScene(p: THREE.Vector3): THREE.Vector3 {
    const local = this.stage.localOf(this.side)!;
    local.updateWorldMatrix(true, false);
    return local.worldToLocal(p.clone());
  }
  private get size(): number {
    const s = this.stage.scene!;
    return Math.max(s.hi[0] - s.lo[0], s.hi[1] - s.lo[1], s.dim === 3 ? s.hi[2] - s.lo[2] : 0);
  }

  private down(e: PointerEvent): void {
    if (this.tool === "look" || e.button !== 0 || !this.stage.scene || this.pointer !== null) return;
    const box = this.stage.canvas.getBoundingClientRect();
    this.side = Math.min(this.stage.sides - 1, Math.floor(((e.clientX - box.left) / box.width) * this.stage.sides));
    this.pointer = e.pointerId;
    this.stage.canvas.setPointerCapture(e.pointerId);
    const ray = this.ray(e);
    const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
    if (this.tool === "drag") {
      const hit = this.hitBody(ray);
      if (!hit) return this.letGo();
      this.grabbed = hit;
      this.plane.setFromNormalAndCoplanarPoint(facing, hit.at);
    } else if (this.tool === "pour" && this.stage.scene.dim === 3) {
      // The stream comes from a height that clears most of the water.
      this.plane.set(new THREE.Vector3(0, 1, 0), -0.3 * this.height());
    } else if (this.tool === "push" && this.stage.scene.dim === 3) {
      const water = this.stage.waterOf(this.side)!;
      water.geometry.boundingSphere = water.geometry.boundingBox = null;
      const caster = new THREE.Raycaster(ray.origin, ray.direction);
      const hit = caster.intersectObject(water, false)[0];
      this.plane.setFromNormalAndCoplanarPoint(facing, hit?.point ?? new THREE.Vector3());
    } else if (this.tool === "tilt") {
      this.start = { x: e.clientX, y: e.clientY, tilt: this.tilt.clone() };
    } else {
      this.plane.set(new THREE.Vector3(0, 0, 1), 0);
    }
    this.last = null;
    this.move(e);
  }

  private height(): number {
    const s = this.stage.scene!;
    return (s.hi[s.up] - s.lo[s.up]) / this.size;
  }

  private hitBody(ray: THREE.Ray): { body: number; grab: THREE.Vector3; at: THREE.Vector3 } | null {
    const caster = new THREE.Raycaster(ray.origin, ray.direction);
    for (const hit of caster.intersectObjects(this.stage.bodiesOf(this.side), false)) {
      const mesh = hit.object as THREE.Mesh;
      const grab = mesh.worldToLocal(hit.point.clone());
      const field = mesh.userData.field;
      if (field) {
        const i = Math.floor(((grab.x - field.lo[0]) / (field.hi[0] - field.lo[0])) * field.nx);
        const j = Math.floor(((grab.y - field.lo[1]) / (field.hi[1] - field.lo[1])) * field.ny);
        if (field.texels[j * field.nx + i] > 128) continue;
      }
      return { body: mesh.userData.index, grab, at: hit.point };
    }
    return null;
  }

  private move(e: PointerEvent): void {
    if (e.pointerId !== this.pointer || !this.stage.scene) return;
    if (this.tool === "tilt") return this.moveTilt(e);
    const at = this.ray(e).intersectPlane(this.plane, new THREE.Vector3());
    if (!at) return;
    const p = this.inScene(at);
    const scene = this.stage.scene;
    if (this.tool !== "drag")
      for (let d = 0; d < scene.dim; ++d)
        p.setComponent(d, THREE.MathUtils.clamp(p.getComponent(d), scene.lo[d] + JET * this.size, scene.hi[d] - JET * this.size));
    const list = (v: THREE.Vector3) => [v.x, v.y, scene.dim === 2 ? 0 : v.z];
    if (this.tool === "drag" && this.grabbed) {
      this.say({ do: "drag", body: this.grabbed.body, grab: list(this.grabbed.grab), target: list(p) });
      this.showMark(p, 0.012);
    } else if (this.tool === "pour") {
      const down = new THREE.Vector3().setComponent(scene.dim === 2 ? 1 : scene.up, -Math.sqrt(9.81 * 0.15 * this.size));
      this.say({ do: "pour", at: list(p), velocity: list(down), radius: JET * this.size });
      this.showMark(p, JET);
    } else if (this.tool === "push") {
      const now = performance.now() / 1000;
      const v = new THREE.Vector3();
      if (this.last && now > this.last.time) v.subVectors(p, this.last.at).divideScalar(Math.max(now - this.last.time, 0.008));
      v.clampLength(0, 4 * Math.sqrt(9.81 * this.size));
      this.last = { at: p.clone(), time: now };
      const push = { do: "push", at: list(p), radius: PALM * this.size };
      this.say({ ...push, velocity: list(v) });
      // A hand that stops is still in the water.
      clearTimeout(this.still);
      this.still = window.setTimeout(() => this.say({ ...push, velocity: [0, 0, 0] }), 80);
      this.showMark(p, PALM);
    }
  }

  private moveTilt(e: PointerEvent): void {
    const dx = (e.clientX - this.start.x) / 6, dy = (e.clientY - this.start.y) / 6;
    const scene = this.stage.scene!;
    const t = this.tilt;
    if (scene.dim === 2) {
      t.set(0, 0, THREE.MathUtils.clamp(this.start.tilt.z - dx, -TILT_MOST, TILT_MOST));
    } else {
      // About the camera's own axes, as one would turn a glass in the hand.
      const right = new THREE.Vector3(1, 0, 0).applyQuaternion(this.stage.camera.quaternion).setY(0).normalize();
      const away = new THREE.Vector3(0, 1, 0).cross(right);
      const turn = right.multiplyScalar(dy).addScaledVector(away, dx);
      if (scene.up === 2) turn.set(turn.x, -turn.z, turn.y);
      t.copy(this.start.tilt).add(turn).clampLength(0, TILT_MOST);
    }
    this.say({ do: "tilt", degrees: [t.x, t.y, t.z] });
  }

  private showMark(p: THREE.Vector3, radius: number): void {
    const local = this.stage.localOf(this.side)!;
    this.mark.position.copy(local.localToWorld(p.clone()));
    this.mark.scale.setScalar(radius);
    this.mark.visible = true;
    this.rope.visible = false;
    if (this.grabbed) {
      const body = this.stage.bodiesOf(this.side).find((m) => m.userData.index === this.grabbed!.body);
      if (body) {
        body.updateWorldMatrix(true, false);
        this.rope.geometry.setFromPoints([body.localToWorld(this.grabbed.grab.clone()), this.mark.position]);
        this.rope.visible = true;
      }
    }
    this.stage.redraw();
  }

  private up(e: PointerEvent): void {
    if (e.pointerId === this.pointer) this.letGo();
  }
  private letGo(): void {
    clearTimeout(this.still);
    if (this.pointer !== null && this.tool !== "tilt") this.say({ do: "release" });
    this.pointer = null;
    this.grabbed = null;
    this.last = null;
    this.mark.visible = this.rope.visible = false;
    this.stage.redraw();
  }
}
