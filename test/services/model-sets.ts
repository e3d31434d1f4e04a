import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type FakeProvider, startFakeProvider } from '@spanhouse/fake-provider'
import { newDataDir, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { newProject, type TestProject } from '../harness.ts'
import { startNetworkedSet } from '../sets/networked.ts'

/** A running Spanhouse that may call a fake provider, and a project that is connected to it. */
export interface ModelSet {
  project: TestProject
  provider: FakeProvider
  /** The slug of the connection. */
  connection: string
  servicesUrl: string
  /** Runs the command line with the project's key. */
  command(...args: string[]): Promise<{ code: number; out: string; err: string }>
  stop(): Promise<void>
}

const OPEN = { SPANHOUSE_OUTBOUND_OPEN: 'true' }

/** Everything in one process. */
export async function startEmbeddedModelSet(models: readonly string[]): Promise<ModelSet> {
  const dataDir = await newDataDir('model-set')
  const { url, adminKey, stop } = await startServerProcess({ dataDir, env: OPEN })
  const project = await newProject({ apiUrl: url, receiverUrl: url, adminKey })
  return modelSet(project, { models, servicesUrl: `${url}/services` }, async () => {
    await stop()
    await rm(dataDir, { recursive: true, force: true })
  })
}

/** Each role in a process of its own. */
export async function startNetworkedModelSet(models: readonly string[]): Promise<ModelSet> {
  const { roles, stop } = await startNetworkedSet(OPEN)
  const servicesUrl = `${roles.services.url}/services`
  const { url: apiUrl, adminKey } = roles.api
  const project = await newProject({ apiUrl, receiverUrl: roles.receiver.url, adminKey, servicesUrl })
  return modelSet(project, { models, servicesUrl }, stop)
}

interface Settings {
  /** What the connection offers. */
  models: readonly string[]
  servicesUrl: string
}

async function modelSet(
  project: TestProject,
  { models, servicesUrl }: Settings,
  stop: () => Promise<unknown>,
): Promise<ModelSet> {
  const provider = await startFakeProvider()
  const data = {
    kind: 'custom',
    provider: { url: `${provider.url}/v1`, key: 'sk-fake' },
    models: models.map(slug => ({ slug })),
  }
  const { body } = await project.post('/api/secrets/', {
    header: { name: 'lab' },
    secret: { kind: 'custom_provider', data },
  })
  return {
    project,
    provider,
    connection: body.slug,
    servicesUrl,
    command: (...args) =>
      command({ SPANHOUSE_URL: new URL(servicesUrl).origin, SPANHOUSE_API_KEY: project.apiKey }, args),
    stop: async () => {
      await stop()
      await provider.close()
    },
  }
}

const CLI = fileURLToPath(new URL('../../packages/cli/spanhouse.ts', import.meta.url))

const command = (env: NodeJS.ProcessEnv, args: string[]): ReturnType<ModelSet['command']> =>
  new Promise(resolve => {
    execFile(process.execPath, [CLI, ...args], { env: { ...process.env, ...env } }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    )
  })
