# The image runs the sources as they are: there is no build step. Two targets: onramp (the last, the default) and the
# sandbox, a stand-in for the service for development. To pin the base: --build-arg BASE=node:24-slim@sha256:…
ARG BASE=node:24-slim

FROM ${BASE} AS production-packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without the sandbox's folder npm leaves out the sandbox and all that it needs.
COPY packages/deprecations packages/deprecations
COPY packages/terminal packages/terminal
# The optional packages are the runtime for hosts without it; here the base image has it. For `npm sbom`, which calls
# development packages missing, package.json names none.
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
# Its servers are on loopback addresses, which no published port reaches: here it listens on all of the container's.
# Publish them on the host's loopback: docker run -p 127.0.0.1:4000-4005:4000-4005
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
# The embedded store's folder, for those who run without Redis: mount a volume here. 1000 is node's number in the base; a
# number, because Kubernetes cannot tell that a name is not root's.
RUN mkdir data && chown 1000:1000 data
USER 1000:1000
ENV DATA_DIR=/app/data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz', { signal: AbortSignal.timeout(2500) }).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# node as process 1 gets SIGTERM itself and ends after the requests in flight. In a container of 512 MB it would keep 1 MB for
# new objects and collect garbage all the time: docs/operations.md, Sizing.
CMD ["node", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=32", "src/server.ts"]

# Last, because they change with every build, and nothing before has to be built again for them.
ARG BASE
ARG VERSION=unreleased
ARG REVISION=unknown
LABEL org.opencontainers.image.title="onramp" \
  org.opencontainers.image.description="Guides every employee through connecting their apps to enterprise search" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.base.name="${BASE}"
