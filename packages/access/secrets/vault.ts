import { hkdfSync } from 'node:crypto'
import type { JsonObject, Uuid } from '@spanhouse/model'
import { isJsonObject, parseJson } from '@spanhouse/model'
import { seal, unseal } from '../credentials/sealed.ts'

/** What a secret is sealed for: its text opens in its own row only, so rows cannot be exchanged in the database. */
export interface SealedFor {
  project_id: Uuid
  id: Uuid
}

/** Encrypts and decrypts with the deployment's secret key. */
export interface Vault {
  /** Names the key, and tells nothing of it. */
  readonly keyId: string
  seal(data: JsonObject, place: SealedFor): string
  /** Throws an Error when the key is another one, or the text was changed or moved. */
  open(row: SealedFor & { sealed: string; key_id: string }): JsonObject
}

export function openVault(secretKey: string): Vault {
  const keyId = Buffer.from(hkdfSync('sha256', secretKey, '', 'key id', 8)).toString('hex')
  const purposeOf = ({ project_id, id }: SealedFor): string => `secret ${project_id} ${id}`
  return {
    keyId,
    seal: (data, place) => seal(JSON.stringify(data), secretKey, purposeOf(place)),
    open: ({ sealed, key_id, ...place }) => {
      if (key_id !== keyId) throw new Error(`a secret was sealed with another SPANHOUSE_SECRET_KEY: ${place.id}`)
      const data = parseJson(unseal(sealed, secretKey, purposeOf(place)) ?? 'null')
      if (!isJsonObject(data)) throw new Error(`a sealed secret was changed or moved in the database: ${place.id}`)
      return data
    },
  }
}
