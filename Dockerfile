FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY nest-cli.json tsconfig.json tsconfig.build.json openapi.json ./
COPY scripts scripts
COPY src src
COPY web web
# The last command loads the modules of the application, so the build fails if one of their dependencies is missing.
RUN npm run build \
 && npm prune --omit=dev --no-audit --no-fund \
 && node dist/openapi.js

FROM node:24-bookworm-slim
# `npm run import` prints no notice about versions of npm, which nobody can update in a container.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    NPM_CONFIG_UPDATE_NOTIFIER=false
WORKDIR /app
# The default DATABASE_URL is a file in this directory: mount a volume here.
RUN mkdir data && chown node:node data
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/openapi.json /app/package.json ./
COPY scripts/build-if-needed.mjs scripts/
USER node
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=4s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without npm, so that the process receives signals.
CMD ["node", "dist/main.js"]
