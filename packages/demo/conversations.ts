import { setTimeout as delay } from 'node:timers/promises'
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'

interface Call {
  name: string
  type: 'agent' | 'chain' | 'chat' | 'tool' | 'query'
  inputs: object
  outputs: string
  /** Prompt and completion tokens, and their cost in USD. */
  usage?: { prompt: number; completion: number; cost: number }
  fails?: string
  calls?: Call[]
}

const CONVERSATIONS: { session: string; user: string; call: Call }[] = [
  {
    session: 'trip-lima',
    user: 'ada',
    call: {
      name: 'plan_trip',
      type: 'agent',
      inputs: { question: 'Three days in Lima in May, please.' },
      outputs: 'Day 1: Miraflores and the Malecón …',
      calls: [
        {
          name: 'retrieve_guides',
          type: 'query',
          inputs: { query: 'Lima sights' },
          outputs: '4 documents',
          usage: { prompt: 12, completion: 0, cost: 0.00000024 },
        },
        {
          name: 'check_weather',
          type: 'tool',
          inputs: { city: 'Lima', month: 'May' },
          outputs: '18 °C, dry',
        },
        {
          name: 'write_plan',
          type: 'chain',
          inputs: { days: 3 },
          outputs: 'plan',
          calls: [
            {
              name: 'chat',
              type: 'chat',
              inputs: { messages: [{ role: 'user', content: 'Draft a plan.' }] },
              outputs: 'Draft …',
              usage: { prompt: 1250, completion: 420, cost: 0.0004395 },
            },
            {
              name: 'chat',
              type: 'chat',
              inputs: { messages: [{ role: 'user', content: 'Make it shorter.' }] },
              outputs: 'Day 1 …',
              usage: { prompt: 1710, completion: 180, cost: 0.0003645 },
            },
          ],
        },
      ],
    },
  },
  {
    session: 'trip-oslo',
    user: 'grace',
    call: {
      name: 'plan_trip',
      type: 'agent',
      inputs: { question: 'Can I see northern lights in Oslo?' },
      outputs: 'Rarely; try Tromsø.',
      calls: [
        {
          name: 'check_weather',
          type: 'tool',
          inputs: { city: 'Oslo' },
          outputs: '',
          fails: 'weather service timed out',
        },
        {
          name: 'chat',
          type: 'chat',
          inputs: { messages: [{ role: 'user', content: 'Northern lights in Oslo?' }] },
          outputs: 'Rarely; try Tromsø.',
          usage: { prompt: 310, completion: 42, cost: 0.0000717 },
        },
      ],
    },
  },
]

/** Runs all conversations and returns the ids of their traces. */
export async function runConversations(tracer: Tracer): Promise<string[]> {
  const traceIds: string[] = []
  for (const { session, user, call } of CONVERSATIONS)
    traceIds.push(
      await run(tracer, call, ROOT_CONTEXT, {
        'ag.session.id': session,
        'ag.user.id': user,
        'ag.tags.app': 'travel-assistant',
      }),
    )
  return traceIds
}

async function run(tracer: Tracer, call: Call, parent: Context, attributes: Attributes = {}): Promise<string> {
  const kind = call.type === 'chat' ? SpanKind.CLIENT : SpanKind.INTERNAL
  const span = tracer.startSpan(call.name, { kind, attributes: { ...attributes, ...describe(call) } }, parent)
  for (const inner of call.calls ?? []) await run(tracer, inner, trace.setSpan(parent, span))
  await delay(20 + Math.random() * 60)
  finish(span, call)
  return span.spanContext().traceId
}

const describe = ({ type, inputs, outputs, usage }: Call): Attributes => ({
  'ag.type.node': type,
  'ag.data.inputs': JSON.stringify(inputs),
  'ag.data.outputs': outputs,
  ...(usage && {
    'ag.metrics.unit.tokens.prompt': usage.prompt,
    'ag.metrics.unit.tokens.completion': usage.completion,
    'ag.metrics.unit.tokens.total': usage.prompt + usage.completion,
    'ag.metrics.unit.costs.total': usage.cost,
  }),
})

function finish(span: Span, { fails }: Call): void {
  if (fails) {
    span.recordException(new Error(fails))
    span.setStatus({ code: SpanStatusCode.ERROR, message: fails })
  }
  span.end()
}
