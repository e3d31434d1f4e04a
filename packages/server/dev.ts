/**
 * `npm run dev`: the program under `node --watch-path`. With this variable, Node also reports imports of worker
 * threads, as messages that would be mistaken for the threads' own. The folders are watched without it.
 */
delete process.env.WATCH_REPORT_DEPENDENCIES
await import('./main.ts')

export {}
