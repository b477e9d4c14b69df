"""`/docs`: the OpenAPI document as a page to read and try, from this process alone.

Nothing is loaded from elsewhere, and the page has a policy of its own that says so.

Source: Swagger UI, configuration; W3C CSP3.
"""

from __future__ import annotations

from importlib.resources import files

from fastapi import APIRouter, Response

router = APIRouter(include_in_schema=False)

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Answer ledger: HTTP interface</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
"""
_START = """SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
});
"""


@router.get("/docs")
async def page() -> Response:
    return Response(_PAGE, media_type="text/html", headers={"Content-Security-Policy": _POLICY})


@router.get("/docs/start.js")
async def start() -> Response:
    return Response(_START, media_type="text/javascript")


@router.get("/docs/swagger-ui-bundle.js")
async def script() -> Response:
    return Response(_asset("swagger-ui-bundle.js"), media_type="text/javascript")


@router.get("/docs/swagger-ui.css")
async def style() -> Response:
    return Response(_asset("swagger-ui.css"), media_type="text/css")


def _asset(name: str) -> bytes:
    return files("fastapi_offline").joinpath("static", name).read_bytes()
