"""Every response of every case is held against the OpenAPI document of the application that gave it."""

from __future__ import annotations

import re
from typing import Any, ClassVar, Self

import httpx
from fastapi import FastAPI
from jsonschema import Draft202012Validator


class Contract:
    _known: ClassVar[Self | None] = None

    @classmethod
    def of(cls, app: FastAPI) -> Self:
        """That of this application; it is the same for every one (SURF-13 holds that), so it is made once."""
        if cls._known is None:
            cls._known = cls(app.openapi())
        return cls._known

    def __init__(self, document: dict[str, Any]) -> None:
        self._paths = [
            (re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), methods)
            for path, methods in document["paths"].items()
        ]
        self._components = document["components"]
        self._validators: dict[int, Draft202012Validator] = {}

    def check(self, response: httpx.Response) -> None:
        """The status is documented for this call, and the body is of its schema."""
        path, method = response.request.url.path, response.request.method.lower()
        methods = next((methods for pattern, methods in self._paths if pattern.fullmatch(path)), None)
        if methods is None:
            assert response.status_code == 404 or path == "/openapi.json", (method, path)
            return
        if method not in methods:
            assert response.status_code == 405, (method, path)
            return
        described = methods[method]["responses"].get(str(response.status_code))
        assert described is not None, (method, path, response.status_code)
        media_type = response.headers.get("content-type", "").partition(";")[0]
        if not response.content:
            assert "content" not in described, (method, path, response.status_code)
        elif media_type.endswith("json"):
            schema = described["content"][media_type]["schema"]
            self._validator(schema).validate(response.json())
        else:
            assert media_type in described["content"], (method, path, media_type)

    def _validator(self, schema: dict[str, Any]) -> Draft202012Validator:
        if id(schema) not in self._validators:
            whole = {**schema, "components": self._components}
            self._validators[id(schema)] = Draft202012Validator(whole)
        return self._validators[id(schema)]
