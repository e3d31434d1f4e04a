/** The characters of a text. Half of a surrogate pair is one by itself. */
export function codePointsOf(text: string): Uint32Array {
  const points = new Uint32Array(text.length)
  let count = 0
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) as number
    points[count++] = point
    at += point > 0xffff ? 2 : 1
  }
  return points.subarray(0, count)
}

/** How many characters a text has. */
export function codePointLength(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length - 1; at++)
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) length--
  return length
}

/** The first characters of a text. */
export function beginningOf(text: string, length: number): string {
  let end = 0
  for (let count = 0; count < length && end < text.length; count++)
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  return text.slice(0, end)
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
