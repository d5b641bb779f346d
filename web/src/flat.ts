// 2D scenes: liquid filled between its outline by even and odd, solids by their distance.

import * as THREE from "three";
import type { FieldPart, Frame } from "./protocol";

/** The liquid: every piece of outline makes a triangle with a far corner; what an odd number covers is inside. */
export class FlatLiquid {
  readonly group = new THREE.Group();
  private readonly fan = new THREE.BufferGeometry();
  private readonly line = new THREE.BufferGeometry();
  readonly fillMaterial: THREE.MeshBasicMaterial;
  readonly lineMaterial: THREE.LineBasicMaterial;

  constructor(lo: number[], hi: number[]) {
    const mark = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, colorWrite: false, depthTest: false, depthWrite: false });
    mark.stencilWrite = true;
    mark.stencilFunc = THREE.AlwaysStencilFunc;
    mark.stencilZPass = mark.stencilZFail = mark.stencilFail = THREE.InvertStencilOp;
    mark.stencilWriteMask = 1;
    const marked = new THREE.Mesh(this.fan, mark);
    marked.frustumCulled = false;
    marked.renderOrder = 1;

    this.fillMaterial = new THREE.MeshBasicMaterial({ depthTest: false, depthWrite: false, vertexColors: true });
    this.fillMaterial.stencilWrite = true;
    this.fillMaterial.stencilFunc = THREE.EqualStencilFunc;
    this.fillMaterial.stencilRef = 1;
    this.fillMaterial.stencilFuncMask = 1;
    this.fillMaterial.stencilZPass = THREE.ZeroStencilOp; // clean for whoever comes next
    const sheet = new THREE.PlaneGeometry(2 * (hi[0] - lo[0]), 2 * (hi[1] - lo[1]), 1, 8);
    const colours = new Float32Array(sheet.getAttribute("position").count * 3);
    const top = new THREE.Color(0x4ba3dd), bottom = new THREE.Color(0x17588f), c = new THREE.Color();
    const y = sheet.getAttribute("position");
    for (let i = 0; i < y.count; ++i) {
      c.lerpColors(bottom, top, THREE.MathUtils.clamp(y.getY(i) / (hi[1] - lo[1]) + 0.5, 0, 1)).toArray(colours, 3 * i);
    }
    sheet.setAttribute("color", new THREE.BufferAttribute(colours, 3));
    const fill = new THREE.Mesh(sheet, this.fillMaterial);
    fill.position.set((lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2, 0);
    fill.renderOrder = 2;
    this.lineMaterial = new THREE.LineBasicMaterial({ color: 0x0d4273, depthTest: false });
    const outline = new THREE.LineSegments(this.line, this.lineMaterial);
    outline.frustumCulled = false;
    outline.renderOrder = 4;
    this.group.add(marked, fill, outline);
  }

  set(frame: Frame): void {
    const n = frame.positions.length / 3;
    // One more vertex, the corner of all triangles.
    const p = new Float32Array(3 * (n + 1));
    p.set(frame.positions);
    p.set(n > 0 ? frame.positions.subarray(0, 3) : [0, 0, 0], 3 * n);
    const t = new Uint32Array((frame.indices.length / 2) * 3);
    for (let i = 0, j = 0; i < frame.indices.length; i += 2) {
      t[j++] = frame.indices[i];
      t[j++] = frame.indices[i + 1];
      t[j++] = n;
    }
    this.fan.dispose();
    this.fan.setAttribute("position", new THREE.BufferAttribute(p, 3));
    this.fan.setIndex(new THREE.BufferAttribute(t, 1));
    this.line.dispose();
    this.line.setAttribute("position", new THREE.BufferAttribute(frame.positions, 3));
    this.line.setIndex(new THREE.BufferAttribute(frame.indices, 1));
  }
}

/** A solid or body as a sheet with sharp edges. */
export function makeFlatSolid(part: FieldPart): THREE.Mesh {
  const texture = new THREE.DataTexture(part.texels.slice(), part.nx, part.ny, THREE.RedFormat, THREE.UnsignedByteType);
  texture.magFilter = texture.minFilter = THREE.LinearFilter;
  texture.unpackAlignment = 1;
  texture.needsUpdate = true;
  const body = part.part === "body";
  const material = new THREE.ShaderMaterial({
    uniforms: {
      field: { value: texture },
      inside: { value: body ? new THREE.Color().setRGB(...part.colour, THREE.LinearSRGBColorSpace) : new THREE.Color(0x9aa3ad) },
      edge: { value: new THREE.Color(body ? 0x2b1a10 : 0x3d4650) },
      texel: { value: new THREE.Vector2(part.nx, part.ny) },
    },
    transparent: true,
    depthTest: false,
    depthWrite: false,
    vertexShader: /* glsl */ `
      varying vec2 at;
      void main() { at = uv; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
    fragmentShader: /* glsl */ `
      varying vec2 at;
      uniform sampler2D field;
      uniform vec3 inside, edge;
      uniform vec2 texel;
      void main() {
        float d = (texture2D(field, at).x * 255.0 - 128.0) / 16.0;  // texels
        float w = max(fwidth(at.x * texel.x), 1e-4);
        float a = smoothstep(0.5 * w, -0.5 * w, d);
        if (a <= 0.0) discard;
        gl_FragColor = vec4(mix(edge, inside, smoothstep(-1.2 * w, -2.2 * w, d)), a);
        #include <tonemapping_fragment>
        #include <colorspace_fragment>
      }`,
  });
  const sheet = new THREE.PlaneGeometry(part.hi[0] - part.lo[0], part.hi[1] - part.lo[1]);
  sheet.translate((part.lo[0] + part.hi[0]) / 2, (part.lo[1] + part.hi[1]) / 2, 0);
  const mesh = new THREE.Mesh(sheet, material);
  mesh.renderOrder = body ? 6 : 5;
  mesh.matrixAutoUpdate = false;
  mesh.userData = { part: part.part, index: part.index, glass: false, field: part };
  return mesh;
}

/** Obstacles and containers are as bright as the page. */
export function paintFlatSolid(mesh: THREE.Mesh, dark: boolean): void {
  const { inside, edge } = (mesh.material as THREE.ShaderMaterial).uniforms;
  (inside.value as THREE.Color).setHex(dark ? 0x39434e : 0x9aa3ad);
  (edge.value as THREE.Color).setHex(dark ? 0x7d8a97 : 0x3d4650);
}
