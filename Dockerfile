# The image runs the sources without a build step. Its targets are onramp (the last and default one) and the sandbox, a
# stand-in for the service for development. To pin the base image: --build-arg BASE=node:24-slim@sha256:…
ARG BASE=node:24-slim

FROM ${BASE} AS production-packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without the sandbox's folder, npm omits the sandbox and its dependencies.
COPY packages/deprecations packages/deprecations
COPY packages/terminal packages/terminal
# The optional packages are a runtime for hosts without Node, which the base image has. `npm sbom` would report missing
# development packages, so they are removed from package.json.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm pkg delete devDependencies

FROM ${BASE} AS all-packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci --omit=optional --ignore-scripts

FROM ${BASE} AS sandbox
WORKDIR /app
COPY --from=all-packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY packages packages
COPY src src
COPY views views
COPY languages languages
COPY examples examples
USER 1000:1000
# A published port can't reach loopback addresses, so here the sandbox listens on all interfaces of the container.
# Publish its ports on the host's loopback: docker run -p 127.0.0.1:4000-4005:4000-4005
ENV SANDBOX_BIND=0.0.0.0
EXPOSE 3000 4000-4005
CMD ["node", "--disable-warning=ExperimentalWarning", "src/cli/main.ts", "sandbox"]

FROM ${BASE} AS onramp
WORKDIR /app
COPY --from=production-packages /app/node_modules node_modules
COPY --from=production-packages /app/package.json ./
COPY LICENSE ./
COPY packages/deprecations packages/deprecations
COPY packages/terminal packages/terminal
COPY src src
COPY views views
COPY languages languages
# The folder of the embedded store. Without Redis, mount a volume here. 1000 is the user node of the base image; it is a
# number, because Kubernetes can't tell whether a name is root.
RUN mkdir data && chown 1000:1000 data
USER 1000:1000
ENV DATA_DIR=/app/data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz', { signal: AbortSignal.timeout(2500) }).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# As process 1, node gets SIGTERM and ends after the requests in flight. In a container of 512 MB, its default of 1 MB for
# new objects would cause constant garbage collection (docs/operations.md, "Sizing").
CMD ["node", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=32", "src/server.ts"]

# These lines come last, because they change with every build, and earlier layers stay cached.
ARG BASE
ARG VERSION=unreleased
ARG REVISION=unknown
LABEL org.opencontainers.image.title="onramp" \
  org.opencontainers.image.description="Guides every employee through connecting their apps to enterprise search" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.base.name="${BASE}"
