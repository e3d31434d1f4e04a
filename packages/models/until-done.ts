/** Ends streams in OpenAI's form. No answer can contain it: line breaks are escaped in JSON. */
const DONE = /[\r\n]data: ?\[DONE\]/

/** As many characters of a chunk may belong to a `[DONE]` that continues in the next one. */
const TAIL_LENGTH = '\ndata: [DONE'.length

/**
 * A stream of events up to `[DONE]`, without it. Some servers keep the connection open behind it: the answer, which is
 * complete, would fail when that falls silent. What follows is read and discarded, so that the connection to a server
 * that does end its response can be used again.
 */
export function untilDone(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let tail = '\n'
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const { value } = await reader.read()
    if (value === undefined) return controller.close()
    const text = tail + Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
    const done = DONE.exec(text)
    if (done === null) {
      tail = text.slice(-TAIL_LENGTH)
      return controller.enqueue(value)
    }
    const length = done.index + 1 - tail.length
    if (length > 0) controller.enqueue(value.subarray(0, length))
    controller.close()
    void discard(reader)
  }
  return new ReadableStream({ pull, cancel: reason => reader.cancel(reason) }, { highWaterMark: 0 })
}

async function discard(reader: ReadableStreamDefaultReader): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // Nobody waits for the end.
  }
}
