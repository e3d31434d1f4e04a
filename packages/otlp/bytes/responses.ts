import protobuf from 'protobufjs/minimal.js'

/** Tags of `ExportTraceServiceResponse`, of its `ExportTracePartialSuccess`, and of `google.rpc.Status`. */
const PARTIAL_SUCCESS = 10
const REJECTED_SPANS = 8
const ERROR_MESSAGE = 18
const STATUS_MESSAGE = 18

/** An `ExportTraceServiceResponse`: empty if everything was accepted. */
export function encodeExportResponse({
  rejected,
  errorMessage,
}: {
  rejected: number
  errorMessage: string
}): Uint8Array {
  const writer = protobuf.Writer.create()
  if (rejected > 0) {
    writer.uint32(PARTIAL_SUCCESS).fork()
    writer.uint32(REJECTED_SPANS).int64(rejected).uint32(ERROR_MESSAGE).string(errorMessage)
    writer.ldelim()
  }
  return writer.finish()
}

/** A `google.rpc.Status` with a message and no code, which is how OTLP over HTTP reports a failure. */
export const encodeStatus = (message: string): Uint8Array =>
  protobuf.Writer.create().uint32(STATUS_MESSAGE).string(message).finish()
