import protobuf from 'protobufjs/minimal.js'

/** Tags of `ExportTraceServiceResponse`, of its `ExportTracePartialSuccess`, and of `google.rpc.Status`. */
const PARTIAL_SUCCESS = 10
const REJECTED_SPANS = 8
const ERROR_MESSAGE = 18
const STATUS_CODE = 8
const STATUS_MESSAGE = 18
const STATUS_DETAILS = 26
/** Tags of `google.protobuf.Any`, `google.rpc.RetryInfo` and `google.protobuf.Duration`. */
const ANY_TYPE = 10
const ANY_VALUE = 18
const RETRY_DELAY = 10
const DURATION_SECONDS = 8
const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo'

/**
 * An `ExportTraceServiceResponse`, or that of another signal, which has the same fields: empty if everything was
 * accepted and there is no message.
 */
export function encodeExportResponse({
  rejected,
  errorMessage,
}: {
  rejected: number
  errorMessage: string
}): Uint8Array {
  const writer = protobuf.Writer.create()
  if (rejected > 0 || errorMessage !== '') {
    writer.uint32(PARTIAL_SUCCESS).fork()
    if (rejected > 0) writer.uint32(REJECTED_SPANS).int64(rejected)
    writer.uint32(ERROR_MESSAGE).string(errorMessage)
    writer.ldelim()
  }
  return writer.finish()
}

export interface StatusFields {
  /** gRPC's; OTLP over HTTP sends none. */
  code?: number
  message: string
  /** Sent as a `google.rpc.RetryInfo`. */
  retryAfterSeconds?: number
}

/** A `google.rpc.Status`, which is how OTLP reports a failure. */
export function encodeStatus({ code, message, retryAfterSeconds }: StatusFields): Uint8Array {
  const writer = protobuf.Writer.create()
  if (code !== undefined) writer.uint32(STATUS_CODE).int32(code)
  writer.uint32(STATUS_MESSAGE).string(message)
  if (retryAfterSeconds !== undefined) {
    writer.uint32(STATUS_DETAILS).fork().uint32(ANY_TYPE).string(RETRY_INFO)
    writer.uint32(ANY_VALUE).fork().uint32(RETRY_DELAY).fork().uint32(DURATION_SECONDS).int64(retryAfterSeconds)
    writer.ldelim().ldelim().ldelim()
  }
  return writer.finish()
}
