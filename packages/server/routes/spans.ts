import { invalid, Problem, parseSpanId, parseTraceId, type SpanJson } from '@spanhouse/model'
import { compileSpanQuery, compileSpansByIds, nextWindowing, parseSpanQuery } from '@spanhouse/query'
import { type Engine, readSpans } from '@spanhouse/span-store'
import type { FastifyInstance, FastifyRequest } from 'fastify'
