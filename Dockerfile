# One image for all roles, selected by SPANHOUSE_ROLES. Without store addresses all data is kept under /data:
#   docker build -t spanhouse . && docker run -p 4600:4600 -p 4317:4317 -v spanhouse:/data spanhouse

# Must have the same major version as the development dependency `node`.
FROM node:26-slim AS packages
WORKDIR /app
COPY . .
# Builds the web application, which needs the development dependencies; the image does not.
RUN npm ci --no-audit --no-fund && npm prune --omit=dev --no-audit --no-fund

FROM node:26-slim
# The MALLOC settings are those of `npm start`: of freed memory, the C library keeps buffers that a loaded server needs again at once.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=16777216 \
    MALLOC_TRIM_THRESHOLD_=8388608 \
    NODE_OPTIONS=--max-old-space-size=2000 \
    SPANHOUSE_HOST=0.0.0.0 \
    SPANHOUSE_PORT=4600 \
    SPANHOUSE_GRPC_PORT=4317 \
    SPANHOUSE_DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app ./
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 4600 4317
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SPANHOUSE_PORT}/api/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=100", "--no-flush-bytecode", "--invocation-count-for-turbofan=1000", "packages/server/main.ts"]
