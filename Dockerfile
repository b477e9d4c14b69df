# The ledger's HTTP service. The database is another container (docker-compose.yml); without one, the embedded
# PostgreSQL starts in /data.
FROM python:3.12-slim AS build
WORKDIR /src
COPY requirements/runtime.txt requirements/runtime.txt
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes --requirement requirements/runtime.txt \
 && /venv/bin/pip install --no-cache-dir hatchling
COPY . .
RUN /venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation . && /venv/bin/pip uninstall --yes hatchling

FROM python:3.12-slim
RUN useradd --system --create-home --home-dir /data ledger
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH LEDGER_DATA_DIR=/data/ledger LEDGER_HOST=0.0.0.0
USER ledger
VOLUME /data
EXPOSE 8700
HEALTHCHECK --interval=10s --timeout=3s CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8700/readyz', timeout=2)"]
CMD ["answer-ledger", "serve"]
