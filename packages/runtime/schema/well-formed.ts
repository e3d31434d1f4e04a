import type { Json } from '@spanhouse/model'
import { type Compiler, type Dialect, dialectOf } from './dialects.ts'

/** One compiler a dialect: only schemas for schemas are compiled here, never a caller's. */
const compilers = new Map<Dialect, Compiler>()

/**
 * What is wrong with a JSON Schema under the dialect that it names, or null. Says nothing about what `$ref`s point at.
 */
export function schemaMistake(schema: Json): string | null {
  const dialect = dialectOf(schema)
  const compiler = compilers.get(dialect) ?? openCompiler(dialect)
  try {
    if (compiler.validate(dialect.metaSchema, schema)) return null
  } catch (error) {
    if (error instanceof RangeError) return 'is nested too deeply'
    throw error
  }
  return compiler.errorsText(compiler.errors?.slice(0, 1), { dataVar: 'schema' })
}

/**
 * Schemas for schemas are exempt from formats, unless they are added as schemas like any other. Patterns must be
 * checked.
 */
function openCompiler(dialect: Dialect): Compiler {
  const own = Object.values(dialect.open({}).schemas).flatMap(one => (one ? [one.schema as object] : []))
  const compiler = dialect.open({
    meta: false,
    validateSchema: false,
    strict: false,
    logger: false,
    formats: { regex: isPattern },
  })
  compiler.addSchema(own)
  compilers.set(dialect, compiler)
  return compiler
}

/** A regular expression in either mode: many patterns in use escape what the strict one does not let them escape. */
function isPattern(text: string): boolean {
  return ['u', ''].some(flags => {
    try {
      return Boolean(new RegExp(text, flags))
    } catch {
      return false
    }
  })
}
