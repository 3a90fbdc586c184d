# The image runs the sources as they are: there is no build step. Two targets: onramp (the last, the default) and the
# sandbox, a stand-in for the service for development.
FROM node:24-slim AS production-packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without the sandbox's folder npm leaves out the sandbox and all that it needs.
COPY packages/deprecations packages/deprecations
# The optional packages are the runtime for hosts without it; here the base image has it.
RUN npm ci --omit=dev --omit=optional

FROM node:24-slim AS all-packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci --omit=optional

FROM node:24-slim AS sandbox
WORKDIR /app
COPY --from=all-packages /app/node_modules node_modules
COPY package.json ./
COPY packages packages
COPY src src
COPY views views
USER node
# Its servers are on loopback addresses, which no published port reaches: here it listens on all of the container's.
# Publish them on the host's loopback: docker run -p 127.0.0.1:4000-4005:4000-4005
ENV SANDBOX_BIND=0.0.0.0
EXPOSE 3000 4000-4005
CMD ["node", "--disable-warning=ExperimentalWarning", "src/cli/main.ts", "sandbox"]

FROM node:24-slim AS onramp
WORKDIR /app
COPY --from=production-packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY packages/deprecations packages/deprecations
COPY src src
COPY views views
# The embedded store's folder, for whoever runs without Redis: mount a volume here.
RUN mkdir data && chown node:node data
USER node
ENV DATA_DIR=/app/data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz', { signal: AbortSignal.timeout(2500) }).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# node as process 1 gets SIGTERM itself and ends after the requests in flight.
CMD ["node", "--disable-warning=ExperimentalWarning", "src/server.ts"]
