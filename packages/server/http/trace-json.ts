import type { FlatSpan, nestSpans } from '@spanhouse/model'

type Tree = ReturnType<typeof nestSpans>
type Node = FlatSpan & { spans?: Tree }

/** Text, or what makes the text of a part when its turn comes. */
type Piece = string | (() => Iterable<Piece>)

/** The JSON text of a trace: its id and its tree. */
export const traceToJson = (trace_id: string, spans: Tree): string =>
  `{"trace_id":${JSON.stringify(trace_id)},"spans":${treeToJson(spans)}}`

/**
 * The JSON text of the tree that `nestSpans` makes. A trace may be deeper than `JSON.stringify` can
 * go, so this keeps its own stack. At the top the root that started last comes first: clients take the first entry for
 * the root, and JavaScript would put names that are numbers in front.
 */
export function treeToJson(spans: Tree): string {
  const entries = Object.entries(spans as Record<string, Node | Node[]>).sort(([, one], [, other]) => {
    const [a, b] = [one, other].map(startOfRoot) as [string, string]
    return a < b ? 1 : a > b ? -1 : 0
  })
  return write([() => levelPieces(entries)])
}

/** The first root's time of start without its suffix, so that fractions sort; empty, which sorts last, when there is none. */
function startOfRoot(entry: Node | Node[]): string {
  const first = [entry].flat()[0] as Node
  return first.parent_id === undefined ? first.start_time.slice(0, -1) : ''
}

function write(pieces: Iterable<Piece>): string {
  const texts: string[] = []
  const open = [pieces[Symbol.iterator]()]
  for (let last = open.at(-1); last; last = open.at(-1)) {
    const { value, done } = last.next()
    if (done) open.pop()
    else if (typeof value === 'string') texts.push(value)
    else open.push(value()[Symbol.iterator]())
  }
  return texts.join('')
}

function* levelPieces(entries: [string, Node | Node[]][]): Iterable<Piece> {
  yield '{'
  let separator = ''
  for (const [name, entry] of entries) {
    yield `${separator}${JSON.stringify(name)}:`
    yield () => (Array.isArray(entry) ? listPieces(entry) : nodePieces(entry))
    separator = ','
  }
  yield '}'
}

function* listPieces(nodes: Node[]): Iterable<Piece> {
  yield '['
  let separator = ''
  for (const node of nodes) {
    yield separator
    yield () => nodePieces(node)
    separator = ','
  }
  yield ']'
}

function* nodePieces({ spans, ...span }: Node): Iterable<Piece> {
  const text = JSON.stringify(span)
  if (!spans) return yield text
  yield `${text.slice(0, -1)},"spans":`
  yield () => levelPieces(Object.entries(spans as Record<string, Node | Node[]>))
  yield '}'
}
