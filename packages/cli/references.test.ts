import { expect, test } from 'vitest'
import { referencesTo } from './references.ts'

const ID = '0198a6f2-7c1d-7a3b-9e55-1f2e3d4c5b6a'

test.each([
  ['capitals', { testset: { slug: 'capitals' } }],
  ['capitals@main', { testset: { slug: 'capitals' }, testset_variant: { slug: 'main' } }],
  ['capitals:3', { testset: { slug: 'capitals' }, testset_revision: { version: '3' } }],
  [
    'capitals@main:3',
    { testset: { slug: 'capitals' }, testset_variant: { slug: 'main' }, testset_revision: { version: '3' } },
  ],
  [ID, { testset_revision: { id: ID } }],
  // No part is ignored: an id has no versions, so this is a slug.
  [`${ID}:3`, { testset: { slug: ID }, testset_revision: { version: '3' } }],
])('%s', (text, references) => {
  expect(referencesTo('testset', text)).toEqual(references)
})

test.each(['', '@main', 'capitals:', 'capitals:v3', 'a@b@c'])('%j is not a valid reference', text => {
  expect(() => referencesTo('testset', text)).toThrow(`'${text}' is not a valid reference: give a slug`)
})
