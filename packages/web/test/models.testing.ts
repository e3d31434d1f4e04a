import { type FakeProvider, startFakeProvider } from '@spanhouse/fake-provider'
import { newProject, type TestProject } from '../../../test/harness.ts'

/** A project that can call a model: `fake/custom/gpt-4o-mini`. */
export async function projectWithModel(): Promise<{ project: TestProject; provider: FakeProvider }> {
  const [project, provider] = await Promise.all([newProject(), startFakeProvider()])
  const data = {
    kind: 'custom',
    provider: { url: `${provider.url}/v1`, key: 'not-a-key' },
    models: [{ slug: 'gpt-4o-mini' }],
  }
  const stored = await project.post('/api/secrets/', {
    header: { name: 'fake' },
    secret: { kind: 'custom_provider', data },
  })
  if (stored.status !== 200) throw new Error(`no provider: ${stored.text}`)
  return { project, provider }
}

/** An application that asks the model for the capital of a country. */
export async function newApplication(project: TestProject, slug: string, content: string): Promise<Created> {
  const parameters = {
    prompt: {
      messages: [{ role: 'user', content }],
      template_format: 'curly',
      llm_config: { model: 'fake/custom/gpt-4o-mini' },
    },
  }
  const made = await project.post('/api/simple/applications/', {
    application: { slug, name: slug, data: { uri: 'agenta:builtin:completion:v0', parameters } },
  })
  return made.body.application
}

interface Created {
  id: string
  variant_id: string
  revision_id: string
}
