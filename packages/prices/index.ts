export { type PriceOverride, PriceOverrides } from './overrides.ts'
export { priceSpan } from './price-span.ts'
