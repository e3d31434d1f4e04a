import { isRawJson, numberOf } from '@spanhouse/model'
import * as zod from 'zod'

/*
 * zod, except that its objects and numbers know JSON as the model represents it. zod itself takes an integer past 2^53,
 * which is a `RawJson`, for an object without members: one that matches every object schema whose members are optional,
 * and no schema of numbers. Here such an integer is a rounded number.
 */

export * from 'zod'

export const object = withRawJson(zod.object, zod.ZodObject)
export const strictObject = withRawJson(zod.strictObject, zod.ZodObject)
export const looseObject = withRawJson(zod.looseObject, zod.ZodObject)
export const discriminatedUnion = withRawJson(zod.discriminatedUnion, zod.ZodDiscriminatedUnion)
export const number = withRawJson(zod.number, zod.ZodNumber)
/** zod's errors call for a number where the value is not a number at all. */
export const int = withRawJson(zod.int, zod.ZodNumberFormat, 'int')

/**
 * Makes schemas of a class of their own, since what is derived from a schema (`extend`, `meta`) is made by its class.
 * `expected` is the type that errors name, if it is not zod's.
 */
function withRawJson<M extends (...given: never[]) => zod.ZodType>(
  make: M,
  base: { init: unknown },
  expected?: 'int',
): M {
  const init = base.init as (schema: zod.ZodType, def: unknown) => void
  const Schema = zod.core.$constructor<zod.ZodType>('JsonSchema', (schema, def) => {
    init(schema, def)
    const { parse } = schema._zod
    schema._zod.parse = (payload, context) => {
      if (isRawJson(payload.value)) payload.value = numberOf(payload.value)
      const read = parse(payload, context)
      if (expected)
        for (const issue of payload.issues) if (issue.code === 'invalid_type') Object.assign(issue, { expected })
      return read
    }
  })
  return ((...given) => new Schema(make(...given).def)) as M
}
