/*
 * `npm run dev`: the program under `node --watch-path`. With this variable Node also reports imports of worker threads, as
 * messages among the threads' own, which are then taken for answers. The folders are watched without it.
 */
delete process.env.WATCH_REPORT_DEPENDENCIES
await import('./main.ts')

export {}
