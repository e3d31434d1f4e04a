import type { ServerHttp2Session } from 'node:http2'
import type { Logger } from 'pino'
import type { Connections } from '../budget/connections.ts'
import type { Config } from '../config.ts'
import { type GrpcServer, listenGrpc } from './grpc-server.ts'
import { type OtlpMethodsOptions, otlpMethods } from './otlp-methods.ts'

/**
 * Serves OTLP over gRPC. A default port that another program uses, such as a collector's, is a warning and resolves to
 * undefined, so that everything else works. Rejects if a configured port cannot be used.
 */
export async function listenOtlp(
  { host, grpcPort, isGrpcPortSet }: Config,
  { connections, ...options }: OtlpMethodsOptions & { connections: Connections<ServerHttp2Session> },
  log: Logger,
): Promise<GrpcServer | undefined> {
  try {
    return await listenGrpc({
      host,
      port: grpcPort,
      connections,
      methods: otlpMethods(options),
      onDefect: error => log.error({ err: error }, 'export failed'),
    })
  } catch (error) {
    if (isGrpcPortSet) throw new Error(`SPANHOUSE_GRPC_PORT: ${(error as Error).message}`)
    log.warn({ reason: (error as Error).message }, 'OTLP over gRPC is not available; set SPANHOUSE_GRPC_PORT')
    return undefined
  }
}
