const MAGIC_AND_VERSION_BYTES = 8
const MEMORY_SECTION = 5

/**
 * A WebAssembly module whose own memory cannot grow beyond so many pages of 64 KiB. A module that declares no maximum
 * may take 4 GiB, and neither a thread's limits nor the code that instantiates it can bound that.
 *
 * See https://webassembly.github.io/spec/core/binary/modules.html#memory-section. Throws when the module has no memory
 * of its own.
 */
export function withMemoryMax(module: Uint8Array, pages: number): Uint8Array {
  for (let at = MAGIC_AND_VERSION_BYTES; at < module.length; ) {
    const size = readUnsigned(module, at + 1)
    if (module[at] !== MEMORY_SECTION) {
      at = size.end + size.value
      continue
    }
    const memories = readUnsigned(module, size.end)
    const initial = readUnsigned(module, memories.end + 1)
    const content = [1, 1, ...unsigned(initial.value), ...unsigned(pages)]
    const section = [MEMORY_SECTION, ...unsigned(content.length), ...content]
    return Buffer.concat([module.subarray(0, at), Buffer.from(section), module.subarray(size.end + size.value)])
  }
  throw new Error('The WebAssembly module has no memory of its own')
}

/** An unsigned integer in LEB128, and the place behind it. */
function readUnsigned(bytes: Uint8Array, from: number): { value: number; end: number } {
  let value = 0
  for (let at = from, factor = 1; ; at++, factor *= 128) {
    const byte = bytes[at] ?? 0
    value += (byte & 0x7f) * factor
    if (byte < 0x80) return { value, end: at + 1 }
  }
}

function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...unsigned(Math.floor(value / 128))]
}
