import { json, optional } from '@spanhouse/validation'

/** Validated by the parser of `query`; here it is only described. */
export const spanQueryBody = optional(json).meta({
  description:
    '`filtering` and `windowing`, or flat `filter`, `oldest`, `newest`, `next`, `limit`, `order`, `rate`; or the saved ' +
    'query to use, as `query_ref`, `query_variant_ref`, `query_revision_ref`.',
})
