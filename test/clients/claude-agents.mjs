import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSdkMcpServer, tool } from '@anthropic-ai/claude-agent-sdk'
import { z } from 'zod'
import { CLAUDE, inRequest, MODELS, QUESTION } from './recording.mjs'

/** Asks an agent of Claude's agent SDK, which runs Claude Code in a home of its own with these variables, too. */
export async function askClaude(query, variables = {}) {
  const home = mkdtempSync(join(tmpdir(), 'claude-'))
  const weather = tool('weather', 'The weather of a city', { city: z.string() }, async () => ({
    content: [{ type: 'text', text: 'sunny' }],
  }))
  const options = {
    model: CLAUDE,
    cwd: home,
    systemPrompt: 'Be brief.',
    tools: [],
    settingSources: [],
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    mcpServers: { city: createSdkMcpServer({ name: 'city', version: '1', tools: [weather] }) },
    maxTurns: 3,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      IS_SANDBOX: '1',
      ANTHROPIC_API_KEY: 'none',
      ANTHROPIC_BASE_URL: MODELS,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ...variables,
    },
  }
  await inRequest('POST /ask', async () => {
    for await (const _message of query({ prompt: QUESTION, options }));
  })
  await new Promise(resolve => setTimeout(resolve, 1500))
  rmSync(home, { recursive: true, force: true })
}
