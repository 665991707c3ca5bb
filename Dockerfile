# Manole in a container: see docs/install.md. Builds from a checkout: docker build -t manole .

FROM node:20-bookworm-slim AS page
WORKDIR /source/web
COPY web/package.json web/package-lock.json web/.npmrc ./
RUN npm ci --silent
COPY web ./
# Types are checked elsewhere (`make check`), and are not needed to build.
RUN npx vite build --logLevel warn

FROM python:3.12-slim-bookworm AS program
WORKDIR /source
COPY locks/runtime.txt locks/
RUN python -m venv /manole \
    && /manole/bin/pip install --no-cache-dir --no-compile --require-hashes -r locks/runtime.txt
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY src src
COPY plugins plugins
COPY examples examples
COPY --from=page /source/src/manole/serve/http/web src/manole/serve/http/web
RUN /manole/bin/pip wheel --no-deps --no-build-isolation --no-index --wheel-dir dist . \
    && /manole/bin/pip install --no-deps --no-index --no-compile dist/*.whl \
    && /manole/bin/pip uninstall --yes hatchling editables pathspec pluggy trove-classifiers pip

FROM python:3.12-slim-bookworm
# libgomp: the engine's threads; everything else is in the wheels.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --no-create-home --home-dir /data manole \
    && install --directory --mode 0700 --owner manole --group manole /data
COPY --from=program /manole /manole
ENV PATH=/manole/bin:$PATH \
    HOME=/data \
    LANG=C.UTF-8 \
    PYTHONDONTWRITEBYTECODE=1 \
    MANOLE_DATA_DIR=/data/index \
    MANOLE_CACHE_DIR=/data/cache
USER 10001:10001
VOLUME /data
WORKDIR /data
EXPOSE 8137
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8137/', timeout=4)"]
ENTRYPOINT ["manole"]
CMD ["serve", "/files", "--host", "0.0.0.0"]
