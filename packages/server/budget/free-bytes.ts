/**
 * Frees the memory of bytes that nobody needs any more, unless another buffer shares it; they are empty from then on.
 * Otherwise it is kept until the next full collection, and V8 begins one when memory outside the heap has grown by 13
 * MB: marking the whole heap after every few exports took a tenth to a quarter of the processor time of all threads
 * (see DECISIONS.md).
 */
export function freeBytes({ buffer, length }: Uint8Array): void {
  // gzip's output has room for one more byte: see `chunkBytes` in `decompress`.
  if (buffer instanceof ArrayBuffer && buffer.byteLength - length <= 1) buffer.transfer(0)
}
