import type { JsonObject } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { SKELETON, spanOf } from './drafts.testing.ts'

const metrics = (members: JsonObject): JsonObject => ({ metrics: { ...SKELETON.metrics, ...members } })

/** Flat attributes under older names, and the result without the members that every span has. */
const ROWS: [string, JsonObject, JsonObject][] = [
  ['type.node', { 'type.node': 'CHAT' }, { type: { span: 'chat' } }],
  ['type.node that is no type', { 'type.node': 'Cat' }, { unsupported: { type: { span: 'cat' } } }],
  [
    'type.node beside type.span',
    { 'type.node': 'chat', 'type.span': 'llm' },
    { type: { span: 'llm' }, unsupported: { type: { node: 'chat' } } },
  ],
  [
    'meta.configuration.*',
    { 'meta.configuration.a': 1, 'meta.configuration.b.c': 2 },
    { data: { parameters: { a: 1, b: { c: 2 } } } },
  ],
  [
    'metrics.unit.tokens.*',
    { 'metrics.unit.tokens.prompt': 1, 'metrics.unit.tokens.total': 3 },
    metrics({ tokens: { incremental: { prompt: 1, total: 3 } } }),
  ],
  ['metrics.acc.tokens.*', { 'metrics.acc.tokens.total': 3 }, metrics({ tokens: { cumulative: { total: 3 } } })],
  [
    'metrics.unit.costs.* and acc.costs.*',
    { 'metrics.unit.costs.total': 0.5, 'metrics.acc.costs.total': 0.7 },
    metrics({ costs: { incremental: { total: 0.5 }, cumulative: { total: 0.7 } } }),
  ],
  [
    'older beside current tokens',
    { 'metrics.unit.tokens.prompt': 1, 'metrics.unit.tokens.total': 3, 'metrics.tokens.incremental.total': 4 },
    {
      ...metrics({ tokens: { incremental: { prompt: 1, total: 4 } } }),
      unsupported: { metrics: { unit: { tokens: { total: 3 } } } },
    },
  ],
  ['metrics.acc.duration.total', { 'metrics.acc.duration.total': 12 }, {}],
  [
    'metrics.acc.duration of another kind',
    { 'metrics.acc.duration.total': 12, 'metrics.acc.duration.idle': 3 },
    { unsupported: { metrics: { acc: { duration: { idle: 3 } } } } },
  ],
  [
    'other metrics.unit.* and acc.*',
    { 'metrics.unit.latency.first': 1, 'metrics.acc.errors': 2 },
    { unsupported: { metrics: { unit: { latency: { first: 1 } }, acc: { errors: 2 } } } },
  ],
  [
    'refs.*',
    { 'refs.application.slug': 'a', 'refs.testcase.id': '0d9f8e7c-1111-4222-8333-944455556666' },
    { references: { application: { slug: 'a' }, testcase: { id: '0d9f8e7c-1111-4222-8333-944455556666' } } },
  ],
  [
    'refs.* beside references.*',
    { 'refs.application.slug': 'old', 'references.application.slug': 'new', 'refs.query.slug': 'q' },
    {
      references: { application: { slug: 'new' }, query: { slug: 'q' } },
      unsupported: { refs: { application: { slug: 'old' } } },
    },
  ],
  [
    'references.variant.id and .slug',
    { 'references.variant.id': '0d9f8e7c-1111-4222-8333-944455556666', 'references.variant.slug': 'v' },
    { references: { application_variant: { id: '0d9f8e7c-1111-4222-8333-944455556666', slug: 'v' } } },
  ],
  [
    'references.variant.version',
    { 'references.variant.slug': 'v', 'references.variant.version': '3' },
    { references: { application_variant: { slug: 'v' }, application_revision: { version: '3' } } },
  ],
  [
    'references.environment.version',
    { 'references.environment.slug': 'production', 'references.environment.version': 2 },
    { references: { environment: { slug: 'production' }, environment_revision: { version: '2' } } },
  ],
  [
    'refs.variant.*',
    { 'refs.variant.slug': 'v', 'refs.variant.version': '3' },
    { references: { application_variant: { slug: 'v' }, application_revision: { version: '3' } } },
  ],
  [
    'references.variant beside application_variant',
    { 'references.variant.slug': 'old', 'references.application_variant.slug': 'new' },
    { references: { application_variant: { slug: 'new' } }, unsupported: { references: { variant: { slug: 'old' } } } },
  ],
  [
    'another member of references.variant',
    { 'references.variant.name': 'V', 'references.variant.slug': 'v' },
    { references: { application_variant: { slug: 'v' } }, unsupported: { references: { variant: { name: 'V' } } } },
  ],
  [
    'data below its members',
    { 'data.inputs.x': 1, 'data.inputs.y.0': 'a', 'data.outputs.__default__': 'Lima' },
    { data: { inputs: { x: 1, y: ['a'] }, outputs: 'Lima' } },
  ],
  [
    'what has kept its name',
    { 'session.id': 's', 'user.id': 'u', 'flags.a': true, 'tags.b': 'x', 'selector.key': 'k', 'exception.type': 'E' },
    {
      session: { id: 's' },
      user: { id: 'u' },
      flags: { a: true },
      tags: { b: 'x' },
      selector: { key: 'k' },
      exception: { type: 'E' },
    },
  ],
]

describe('section 7.4 of the contract', () => {
  test.each(ROWS)('flat: %s', (_, sent, kept) => {
    const attributes = Object.fromEntries(Object.entries(sent).map(([key, value]) => [`ag.${key}`, value]))
    expect(spanOf(attributes).attributes).toEqual({ ag: { ...SKELETON, ...kept } })
  })

  test.each<[string, JsonObject, JsonObject]>([
    [
      'metrics.unit',
      { metrics: { unit: { tokens: { total: 3 } } } },
      metrics({ tokens: { incremental: { total: 3 } } }),
    ],
    ['refs', { refs: { variant: { version: '1' } } }, { references: { application_revision: { version: '1' } } }],
    ['refs that is text', { refs: 'x' }, { unsupported: { refs: 'x' } }],
    [
      'references in the way',
      { refs: { query: { slug: 'q' } }, references: 'x' },
      { unsupported: { refs: { query: { slug: 'q' } }, references: 'x' } },
    ],
    ['null in the way', { type: { node: 'chat', span: null } }, { type: { span: 'chat' } }],
  ])('nested: %s', (_, ag, kept) => {
    expect(spanOf({ ag }).attributes).toEqual({ ag: { ...SKELETON, ...kept } })
  })
})
