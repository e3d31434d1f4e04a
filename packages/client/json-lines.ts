/**
 * The values of a response of JSON lines (`application/x-ndjson`), as they arrive. The type is the caller's: nothing is
 * checked. Throws a SyntaxError for a line that is not JSON, an Error if the body ends within one, and what reading the
 * body throws. `parse` reads a line.
 */
export async function* jsonLines<Value>(
  body: ReadableStream<Uint8Array>,
  parse: Parse = JSON.parse,
): AsyncGenerator<Value, void, void> {
  // Of a line that has not ended yet. A line of megabytes arrives in many pieces, which are joined once.
  let pieces: string[] = []
  const texts = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
  for await (const text of texts) {
    const [end, ...next] = text.split('\n') as [string, ...string[]]
    pieces.push(end)
    for (const line of next) {
      yield* parsed<Value>(pieces, parse)
      pieces = [line]
    }
  }
  yield* lastOf<Value>(pieces, parse)
}

type Parse = (line: string) => unknown

function* lastOf<Value>(pieces: readonly string[], parse: Parse): Generator<Value, void, void> {
  try {
    yield* parsed<Value>(pieces, parse)
  } catch (cause) {
    throw cause instanceof SyntaxError ? new Error('The response ended early.', { cause }) : cause
  }
}

/** Nothing for an empty line. */
function* parsed<Value>(pieces: readonly string[], parse: Parse): Generator<Value, void, void> {
  const line = pieces.join('')
  if (line !== '') yield parse(line) as Value
}
