"""Validates OpenAPI documents, and every example in them against its own schema.

Called by validate.sh, which provides the packages.
"""

import json
import sys

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV2SpecValidator, OpenAPIV31SpecValidator


def examples(document, value, place="#"):
    """Every (place, schema, example) below a value."""
    if isinstance(value, dict):
        if "schema" in value and "example" in value:
            yield place, value["schema"], value["example"]
            if "contentSchema" in value["schema"]:
                yield place, value["schema"]["contentSchema"], json.loads(value["example"])
        for name, inner in value.items():
            yield from examples(document, inner, f"{place}/{name}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from examples(document, inner, f"{place}/{index}")


def problems(document):
    """What is wrong with a document, in words."""
    if document.get("swagger") == "2.0":
        for error in OpenAPIV2SpecValidator(document).iter_errors():
            yield f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
        return
    if document.get("openapi") != "3.1.0":
        yield "is not an OpenAPI 3.1.0 document"
        return
    for error in OpenAPIV31SpecValidator(document).iter_errors():
        yield f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
    for place, schema, example in examples(document, document):
        # References in the schema lead into the document, so both are one resource.
        whole = {"$defs": {"example": schema}, **{"components": document["components"]}}
        validator = Draft202012Validator(
            {**whole, "$ref": "#/$defs/example"}, format_checker=Draft202012Validator.FORMAT_CHECKER
        )
        for error in validator.iter_errors(example):
            yield f"example of {place}: {error.json_path}: {error.message}"


def main(paths):
    failed = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found = list(problems(json.load(file)))
        failed += bool(found)
        for problem in found:
            print(f"{path}: {problem}", file=sys.stderr)
        print(f"{path}: {'INVALID' if found else 'valid'}")
    print(f"OpenAPI: {len(paths) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
