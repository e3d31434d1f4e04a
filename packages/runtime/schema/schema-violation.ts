import type { Violation } from '@spanhouse/model'
import type { ErrorObject } from 'ajv'

/** A violation as the library tells it. */
export const toViolation = ({ instancePath, message, keyword, params }: ErrorObject): Violation =>
  violation(stepsOf(instancePath), `${message ?? keyword}${detailOf(params)}`)

/** Names what the message leaves out. */
function detailOf({ additionalProperty, unevaluatedProperty, allowedValues }: ErrorObject['params']): string {
  const detail = additionalProperty ?? unevaluatedProperty ?? allowedValues
  return detail === undefined ? '' : `: ${JSON.stringify(detail)}`
}

/** At a place in the value that was checked. */
export const violation = (loc: (string | number)[], msg: string): Violation => ({
  type: 'value_error.json_schema',
  loc,
  msg,
})

export const tooDeep = (): Violation => violation([], 'The value or the schema is nested too deeply')

/** The steps of a JSON Pointer (RFC 6901). Steps of digits only are taken for places in lists. */
function stepsOf(pointer: string): (string | number)[] {
  const steps = pointer.split('/').slice(1)
  return steps.map(step => (/^\d{1,9}$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')))
}
