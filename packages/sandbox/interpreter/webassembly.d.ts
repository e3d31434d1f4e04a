// What is used here of WebAssembly's JavaScript interface. The types of Node do not have it, those of browsers have much more.
type BufferSource = ArrayBuffer | ArrayBufferView

declare namespace WebAssembly {
  class Module {}

  class Instance {
    readonly exports: Record<string, unknown>
  }

  class Memory {
    readonly buffer: ArrayBuffer
  }

  class Global {
    value: number
  }

  type ImportValue = Memory | Global | ((...values: number[]) => unknown)
  type ModuleImports = Record<string, ImportValue | undefined>
  type Imports = Record<string, ModuleImports>

  /** python.ts puts another in its place while it loads Pyodide. */
  let instantiate: (source: BufferSource, imports?: Imports) => Promise<{ module: Module; instance: Instance }>
  function compile(source: BufferSource): Promise<Module>
}
