import { writeFile } from 'node:fs/promises'
import openapiTypescript, { astToString } from 'openapi-typescript'

const FILE = new URL('./interface.ts', import.meta.url)

const HEADER = '// Generated from the OpenAPI document by `npm run generate -w packages/client`: do not edit.\n\n'

/** The types of an interface, as the file that this package keeps. */
export async function typesOf(document: object): Promise<string> {
  return HEADER + astToString(await openapiTypescript(document as Parameters<typeof openapiTypescript>[0]))
}

/** Writes the types of a running Spanhouse that has all roles. */
async function main(): Promise<void> {
  const { SPANHOUSE_URL: url = 'http://127.0.0.1:4600' } = process.env
  const response = await fetch(`${url}/api/openapi.json`)
  await writeFile(FILE, await typesOf((await response.json()) as object))
}

if (import.meta.main) await main()
