import { once } from 'node:events'
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2'
import { gzipSync } from 'node:zlib'
import { status } from '@grpc/grpc-js'
import { trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc'

import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { describe, expect, inject, test } from 'vitest'
import { callGrpc, framed, LOGS, METRICS, sendRaw, TRACES } from '../grpc.ts'
import { ask, eventually, newProject, type TestProject } from '../harness.ts'
import { newTraceId, otlpSpan, protobufOf } from '../otlp.ts'

const { grpcUrl, receiverUrl } = inject('target')

const keyOf = ({ apiKey }: TestProject) => ({ authorization: `ApiKey ${apiKey}` })
const ready = async () => expect((await ask(`${receiverUrl}/api/ready`)).status).toBe(200)

test.each(['none', 'gzip'])('an OpenTelemetry SDK exports over gRPC, compression: %s', async compression => {
  const project = await newProject()
  const { Metadata } = await import('@grpc/grpc-js')
  const metadata = new Metadata()
  metadata.set('authorization', `ApiKey ${project.apiKey}`)
  const exporter = new OTLPTraceExporter({ url: grpcUrl, metadata, compression: compression as never })
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })
  const span = provider.getTracer('tests').startSpan('over gRPC', { attributes: { 'ag.data.outputs': 'Lima' } })
  span.end()
  await provider.forceFlush()
  const { traceId, spanId } = span.spanContext()
  const stored = await eventually(async () => (await project.get(`/api/spans/${traceId}/${spanId}`)).body.span)
  expect(stored).toMatchObject({ span_name: 'over gRPC', attributes: { ag: { data: { outputs: 'Lima' } } } })
  await provider.shutdown()
  trace.disable()
})

describe('answers', () => {
  test('a complete success is an empty message', async () => {
    const project = await newProject()
    const span = otlpSpan({ traceId: newTraceId() })
    const answer = await callGrpc(grpcUrl, protobufOf(span), { headers: keyOf(project) })
    expect(answer).toMatchObject({ code: status.OK, message: Buffer.alloc(0) })
    await eventually(async () => (await project.get(`/api/spans/${span.traceId}/${span.spanId}`)).body.span)
  })

  test('a partial success says how many spans were unusable and why', async () => {
    const project = await newProject()
    const bytes = protobufOf(otlpSpan({ traceId: newTraceId() }), otlpSpan({ traceId: 'abcd' }))
    const { code, message } = await callGrpc(grpcUrl, bytes, { headers: keyOf(project) })
    expect(code).toBe(status.OK)
    // partial_success (field 1) with rejected_spans (field 1) of one, and error_message (field 2).
    expect([message?.[0], message?.[2], message?.[3], message?.[4]]).toEqual([0x0a, 0x08, 1, 0x12])
    expect(message?.toString()).toMatch(/trace/i)
  })

  test('no spans are fine', async () => {
    const project = await newProject()
    expect(await callGrpc(grpcUrl, Buffer.alloc(0), { headers: keyOf(project) })).toMatchObject({ code: status.OK })
  })

  test.each([
    ['no credentials', {}, status.UNAUTHENTICATED],
    ['an unknown key', { authorization: 'ApiKey nonsense' }, status.UNAUTHENTICATED],
  ])('%s', async (_name, headers, code) => {
    const answer = await callGrpc(grpcUrl, protobufOf(otlpSpan({ traceId: newTraceId() })), {
      headers: headers as Record<string, string>,
    })
    expect(answer).toMatchObject({ code, details: 'Unauthorized' })
  })

  test.each([
    ['text', Buffer.from('hello, this is no protobuf'), status.INVALID_ARGUMENT, /protobuf|wire|tag|field/i],
    ['no usable span', protobufOf(otlpSpan({ traceId: 'abcd' })), status.INVALID_ARGUMENT, /trace/i],
    ['a message over the limit', Buffer.alloc(11 * 2 ** 20), status.RESOURCE_EXHAUSTED, /10485/],
  ])('%s is refused for good', async (_name, bytes, code, details) => {
    const project = await newProject()
    const answer = await callGrpc(grpcUrl, bytes, { headers: keyOf(project) })
    expect(answer).toMatchObject({ code, details: expect.stringMatching(details) })
    expect(answer.trailers.get('grpc-status-details-bin')).toEqual([])
  })

  test.each([
    ['metrics', METRICS, 'OTEL_METRICS_EXPORTER=none'],
    ['logs', LOGS, 'OTEL_LOGS_EXPORTER=none'],
  ])('%s are discarded with a warning', async (_name, method, setting) => {
    const project = await newProject()
    const answer = await callGrpc(grpcUrl, Buffer.from('whatever'), { method, headers: keyOf(project) })
    expect(answer).toMatchObject({ code: status.OK })
    expect(answer.message?.toString()).toContain(setting)
  })

  test('a service that does not exist is UNIMPLEMENTED and named', async () => {
    const method = '/opentelemetry.proto.collector.trace.v1.TraceService/Delete'
    const answer = await callGrpc(grpcUrl, Buffer.alloc(0), { method, headers: keyOf(await newProject()) })
    expect(answer).toMatchObject({
      code: status.UNIMPLEMENTED,
      details: expect.stringContaining('TraceService/Delete'),
    })
  })
})

describe('what is no gRPC', () => {
  const good = protobufOf(otlpSpan({ traceId: newTraceId() }))
  test.each([
    ['a request without a message', Buffer.alloc(0), {}, '3'],
    ['half a prefix', Buffer.from([0, 0]), {}, '3'],
    ['a length beyond what follows', framed(good, { length: good.length + 1 }), {}, '3'],
    ['a length of 4 GB', framed(good, { length: 0xffffffff }), {}, '3'],
    ['two messages', Buffer.concat([framed(good), framed(good)]), {}, '3'],
    ['an unknown flag', framed(good, { flag: 2 }), {}, '3'],
    ['an unknown encoding', framed(good, { flag: 1 }), { 'grpc-encoding': 'snappy' }, '12'],
    ['broken gzip', framed(gzipSync(good).subarray(0, 40), { flag: 1 }), { 'grpc-encoding': 'gzip' }, '3'],
    ['a bomb of 200 MB', framed(gzipSync(Buffer.alloc(200 * 2 ** 20)), { flag: 1 }), { 'grpc-encoding': 'gzip' }, '8'],
  ])('%s is refused', async (_name, bytes, headers, code) => {
    const project = await newProject()
    const answer = await sendRaw(grpcUrl, bytes, { ...keyOf(project), ...(headers as Record<string, string>) })
    expect(answer).toMatchObject({ ':status': 200, 'grpc-status': code, 'grpc-message': expect.stringMatching(/./) })
  })

  test.each([
    ['another media type', { 'content-type': 'application/json' }],
    ['gRPC for browsers', { 'content-type': 'application/grpc-web+proto' }],
    ['gRPC with JSON', { 'content-type': 'application/grpc+json' }],
    ['another verb', { ':method': 'PUT' }],
  ])('%s is 415', async (_name, headers) => {
    expect(await sendRaw(grpcUrl, framed(good), headers as Record<string, string>)).toMatchObject({ ':status': 415 })
  })

  test.each(['application/grpc+proto', 'Application/gRPC; charset=utf-8'])('%s is gRPC', async type => {
    const answer = await sendRaw(grpcUrl, framed(good), { ...keyOf(await newProject()), 'content-type': type })
    expect(answer).toMatchObject({ ':status': 200, 'grpc-status': '0' })
  })

  test('an export that is aborted half-way leaves nothing behind', async () => {
    const project = await newProject()
    const held = async () =>
      Number(/^spanhouse_bodies_bytes (\d+)/m.exec((await ask(`${receiverUrl}/metrics`)).text)?.[1])
    const session = connect(grpcUrl)
    const stream = session.request({
      ':method': 'POST',
      ':path': TRACES,
      'content-type': 'application/grpc',
      ...keyOf(project),
    })
    stream.on('error', () => {})
    stream.write(framed(Buffer.alloc(100_000), { length: 5_000_000 }))
    await eventually(async () => (await held()) >= 100_000)
    session.destroy()
    await eventually(async () => (await held()) === 0)
  })

  test('streams that are never half-closed do not block other exports', async () => {
    const project = await newProject()
    const sessions = Array.from({ length: 10 }, () => connect(grpcUrl).on('error', () => {}))
    for (const session of sessions)
      for (let count = 0; count < 50; count++) {
        const headers = { ':method': 'POST', ':path': TRACES, 'content-type': 'application/grpc', ...keyOf(project) }
        session
          .request(headers)
          .on('error', () => {})
          .write(framed(good))
      }
    expect(await callGrpc(grpcUrl, good, { headers: keyOf(project) })).toMatchObject({ code: status.OK })
    await ready()
    for (const session of sessions) session.destroy()
  })

  test.each([
    ['discarded', METRICS, '0'],
    ['rejected', '/opentelemetry.proto.collector.profiles.v1.ProfilesService/Export', '12'],
  ])('requests that were %s before they ended are no streams of their connection', async (_how, path, expected) => {
    const key = keyOf(await newProject())
    const session = connect(grpcUrl)
    for (let count = 0; count < 150; count++) {
      const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', ...key })
      const statuses = new Promise(resolve => {
        for (const event of ['response', 'trailers'] as const)
          stream.on(event, (headers: IncomingHttpHeaders) => headers['grpc-status'] && resolve(headers['grpc-status']))
      })
      const closed = once(stream.resume(), 'close')
      stream.write(framed(good))
      expect(await statuses).toBe(expected)
      await closed
      expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
    }
    session.close()
  })

  test('a thousand idle connections do not keep others from exporting', async () => {
    const project = await newProject()
    const sessions: ClientHttp2Session[] = []
    for (let batch = 0; batch < 10; batch++) {
      const opened = Array.from({ length: 100 }, () => connect(grpcUrl).on('error', () => {}))
      sessions.push(...opened)
      await Promise.all(opened.map(session => once(session, 'connect')))
    }
    expect(await callGrpc(grpcUrl, good, { headers: keyOf(project) })).toMatchObject({ code: status.OK })
    await ready()
    for (const session of sessions) session.destroy()
  })
})
