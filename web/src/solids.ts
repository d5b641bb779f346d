// Containers, obstacles and bodies in 3D.

import * as THREE from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { MeshPart, SceneInfo } from "./protocol";
import { skyGlsl, skyUniforms } from "./sky";

/** Glass: seen where it is looked along, nearly not where it is looked through. */
const glass = new THREE.ShaderMaterial({
  uniforms: skyUniforms,
  transparent: true,
  depthWrite: false,
  side: THREE.DoubleSide,
  vertexShader: /* glsl */ `
    varying vec3 inView, n;
    void main() {
      vec4 p = modelViewMatrix * vec4(position, 1.0);
      inView = p.xyz;
      n = normalMatrix * normal;
      gl_Position = projectionMatrix * p;
    }`,
  fragmentShader: /* glsl */ `
    varying vec3 inView, n;
    ${skyGlsl}
    void main() {
      vec3 e = normalize(-inView);
      vec3 m = normalize(n);
      float facing = abs(dot(m, e));
      vec3 world = (vec4(m * sign(dot(m, e)), 0.0) * viewMatrix).xyz;
      vec3 mirrored = reflect(-(vec4(e, 0.0) * viewMatrix).xyz, world);
      float fresnel = 0.03 + 0.97 * pow(1.0 - facing, 4.0);
      vec3 c = sky(mirrored) + glint(mirrored, 300.0);
      gl_FragColor = vec4(c, min(0.75, fresnel * 0.65 + 0.25 * glint(mirrored, 300.0)));
      #include <tonemapping_fragment>
      #include <colorspace_fragment>
    }`,
});

export function makeSolid(part: MeshPart): THREE.Mesh {
  let geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(part.positions, 3));
  geometry.setIndex(new THREE.BufferAttribute(part.indices, 1));
  if (part.look === "glass") geometry.computeVertexNormals();
  else geometry = toCreasedNormals(geometry, 0.6);
  const colour = new THREE.Color().setRGB(...part.colour, THREE.LinearSRGBColorSpace);
  const material = part.look === "glass"
    ? glass
    : new THREE.MeshStandardMaterial({ color: colour, roughness: 0.55, metalness: 0 });
  const mesh = new THREE.Mesh(geometry, material);
  mesh.castShadow = mesh.receiveShadow = part.look !== "glass";
  mesh.matrixAutoUpdate = false;
  mesh.userData = { part: part.part, index: part.index, glass: part.look === "glass" };
  return mesh;
}

/** Rotation row by row, then translation, as frames have it. */
export function placeAt(object: THREE.Object3D, t: number[]): void {
  object.matrix.set(t[0], t[1], t[2], t[9], t[3], t[4], t[5], t[10], t[6], t[7], t[8], t[11], 0, 0, 0, 1);
  object.matrixWorldNeedsUpdate = true;
}

/** The domain as a glass box with fine edges. */
export function makeBox(scene: SceneInfo): THREE.Group {
  const size = new THREE.Vector3().subVectors(new THREE.Vector3(...scene.hi), new THREE.Vector3(...scene.lo));
  const box = new THREE.BoxGeometry(size.x, size.y, size.z);
  const group = new THREE.Group();
  group.position.set(...scene.lo).addScaledVector(size, 0.5);
  if (scene.walls === "glass") {
    const sides = new THREE.Mesh(box, glass);
    sides.userData = { glass: true };
    group.add(sides);
  }
  if (scene.walls !== "glass") return group; // not there to be seen
  const edges = new THREE.LineSegments(new THREE.EdgesGeometry(box),
    new THREE.LineBasicMaterial({ color: 0x8fa3b5, transparent: true, opacity: 0.75 }));
  group.add(edges);
  return group;
}
