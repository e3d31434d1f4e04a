// What is used here of WebAssembly's JavaScript interface. The types of Node do not have it, those of browsers have much more.
type BufferSource = ArrayBuffer | ArrayBufferView

declare namespace WebAssembly {
  class Module {}

  class Memory {
    readonly buffer: ArrayBuffer
  }

  class Global {
    value: number
  }

  class Table {
    readonly length: number
  }

  class Tag {
    is(exception: unknown): boolean
  }

  interface Instance {
    readonly exports: Record<string, unknown>
  }

  type ImportValue = Memory | Global | Table | Tag | ((...values: number[]) => unknown)
  type ModuleImports = Record<string, ImportValue | undefined>
  type Imports = Record<string, ModuleImports>

  // python.ts puts others in their places while it loads Pyodide.
  let Instance: new (module: Module, imports?: Imports) => Instance
  let instantiate: (source: BufferSource, imports?: Imports) => Promise<{ module: Module; instance: Instance }>

  function compile(source: BufferSource): Promise<Module>
}
