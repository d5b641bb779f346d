"""validate_schema.py SCHEMA FOLDER: FOLDER/good/*.json must satisfy the schema, bad/*.json must not."""
import json
import pathlib
import re
import sys

import jsonschema


def load(path):
    # Comments end at the line's end or at */; scenes have no texts with // in them but "$schema".
    text = path.read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return json.loads(re.sub(r"(?m)(^|\s)//.*$", "", text))


schema = load(pathlib.Path(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
failed = 0
for good in sorted(pathlib.Path(sys.argv[2], "good").glob("*.json")):
    for error in validator.iter_errors(load(good)):
        print(f"{good.name}: {error.json_path}: {error.message[:200]}")
        failed = 1
for bad in sorted(pathlib.Path(sys.argv[2], "bad").glob("*.json")):
    if validator.is_valid(load(bad)):
        print(f"{bad.name}: accepted, but it is wrong")
        failed = 1
sys.exit(failed)
