/** What the address of the settings says besides the section. */
export interface SettingsSearch {
  /** The id of the environment whose deployments are shown. */
  environment?: string | undefined
}

export const readSettingsSearch = ({ environment }: Record<string, unknown>): SettingsSearch => ({
  environment: typeof environment === 'string' && environment !== '' ? environment : undefined,
})
