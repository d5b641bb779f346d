// Fields for the keys of a scene that may be set, made from the schema's words.

import type { Parameter } from "./protocol";

type Value = number | string | boolean;

/** Fields for `parameters`; `changed` gets what differs from the run in view. */
export function makeFields(parameters: Parameter[], into: HTMLElement): () => Record<string, Value> {
  const read = new Map<string, () => Value>();
  into.replaceChildren();
  for (const p of parameters) {
    const row = document.createElement("label");
    row.className = "field";
    row.title = p.doc;
    const name = document.createElement("span");
    name.textContent = p.key.replace(/_/g, " ").replace("tall.", "");
    const unit = document.createElement("small");
    unit.textContent = p.unit;
    const words = p.schema.enum;
    if (words) {
      const select = document.createElement("select");
      select.name = p.key;
      for (const w of words) select.add(new Option(String(w), String(w), false, w === p.value));
      read.set(p.key, () => select.value);
      row.append(name, select, unit);
    } else if (typeof p.value === "boolean") {
      const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: p.value, name: p.key });
      read.set(p.key, () => box.checked);
      row.append(name, box, unit);
    } else {
      const input = Object.assign(document.createElement("input"), { type: "number", name: p.key, value: String(p.value) });
      if (Math.abs(p.value as number) < 1e-3 && p.value !== 0) input.value = (p.value as number).toExponential();
      input.step = p.schema.type === "integer" ? "1" : "any";
      if (p.schema.minimum !== undefined) input.min = String(p.schema.minimum);
      if (p.schema.maximum !== undefined) input.max = String(p.schema.maximum);
      const low = p.schema.minimum, high = p.schema.maximum;
      if (low !== undefined || high !== undefined)
        row.title += ` From ${low ?? "any"} to ${high !== undefined && high < 1e20 ? high : "any"}.`;
      read.set(p.key, () => Number(input.value));
      row.append(name, input, unit);
    }
    into.append(row);
  }
  return () => {
    const out: Record<string, Value> = {};
    for (const p of parameters) {
      const now = read.get(p.key)!();
      if (now !== p.value) out[p.key] = now;
    }
    return out;
  };
}
