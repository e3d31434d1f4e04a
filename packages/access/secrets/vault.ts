import { hkdfSync } from 'node:crypto'
import { isJsonObject, type JsonObject, parseJson, type Uuid } from '@spanhouse/model'
import { seal, unseal } from '../credentials/sealed.ts'

/**
 * The row that a secret is sealed for. It can be opened only in that row, so rows cannot be swapped in the database.
 */
export interface SealedFor {
  project_id: Uuid
  id: Uuid
}

/** Encrypts and decrypts with the deployment's secret key. */
export interface Vault {
  /** Identifies the key without revealing anything about it. */
  readonly keyId: string
  seal(data: JsonObject, place: SealedFor): string
  /** Throws an Error if the key is different, or if the text was changed or moved. */
  open(row: SealedFor & { sealed: string; key_id: string }): JsonObject
}

export function openVault(secretKey: string): Vault {
  const keyId = Buffer.from(hkdfSync('sha256', secretKey, '', 'key id', 8)).toString('hex')
  const purposeOf = ({ project_id, id }: SealedFor): string => `secret ${project_id} ${id}`
  return {
    keyId,
    seal: (data, place) => seal(JSON.stringify(data), secretKey, purposeOf(place)),
    open: ({ sealed, key_id, ...place }) => {
      if (key_id !== keyId)
        throw new Error(`the secret ${place.id} was encrypted with a different SPANHOUSE_SECRET_KEY`)
      const data = parseJson(unseal(sealed, secretKey, purposeOf(place)) ?? 'null')
      if (!isJsonObject(data)) throw new Error(`the encrypted secret ${place.id} was changed or moved in the database`)
      return data
    },
  }
}
