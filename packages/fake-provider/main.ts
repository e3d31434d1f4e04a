import { startFakeProvider } from './fake-provider.ts'

/** Runs until it is ended: `node packages/fake-provider/main.ts [port]`. */
const { url, close } = await startFakeProvider({ port: Number(process.argv[2] ?? 0) })
process.stdout.write(`${url}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close())
