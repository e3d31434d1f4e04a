import { isJsonObject, type Json, withoutTrailing } from '@spanhouse/model'
import { Ajv, type Options } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import draft6 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' }
import AjvDraft4 from 'ajv-draft-04'

/** What all dialects' compilers have; draft 4 has a class of its own. */
export type Compiler = Pick<Ajv, 'addSchema' | 'compile' | 'errors' | 'errorsText' | 'schemas' | 'validate'>

/** A dialect of JSON Schema. */
export interface Dialect {
  /** The address of the schema for schemas. */
  metaSchema: string
  /** A fresh compiler, which knows no other caller's schemas. */
  open(options: Options): Compiler
}

const DRAFT_2020: Dialect = {
  metaSchema: 'https://json-schema.org/draft/2020-12/schema',
  open: options => withoutId(new Ajv2020(options)),
}

const DIALECTS: readonly Dialect[] = [
  DRAFT_2020,
  {
    metaSchema: 'https://json-schema.org/draft/2019-09/schema',
    open: options => withoutId(new Ajv2019(options)),
  },
  { metaSchema: 'http://json-schema.org/draft-07/schema', open: options => withoutId(new Ajv(options)) },
  {
    metaSchema: 'http://json-schema.org/draft-06/schema',
    open: options => withoutId(options.meta === false ? new Ajv(options) : new Ajv(options).addMetaSchema(draft6)),
  },
  {
    metaSchema: 'http://json-schema.org/draft-04/schema',
    open: options => new AjvDraft4.default(options) as unknown as Compiler,
  },
]

/** `id` was a keyword of draft 4 only; later it is a name like any other, which the compiler would refuse. */
function withoutId(compiler: Ajv): Ajv {
  compiler.removeKeyword('id')
  return compiler
}

const nameOf = (address: string): string => withoutTrailing(address, '#/').replace(/^https?:\/\//, '')

const BY_NAME = new Map(DIALECTS.map(dialect => [nameOf(dialect.metaSchema), dialect]))

/** The dialect that a schema names with `$schema`; 2020-12 when it names none, or none that is known. */
export function dialectOf(schema: Json): Dialect {
  const named = isJsonObject(schema) && typeof schema.$schema === 'string' ? schema.$schema : ''
  return BY_NAME.get(nameOf(named)) ?? DRAFT_2020
}
