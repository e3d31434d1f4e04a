/** The members of a file part that callers spell in several ways, by the spelling that OpenAI's interface has. */
const SPELLINGS: Readonly<Record<string, string>> = {
  file_name: 'filename',
  fileName: 'filename',
  fileId: 'file_id',
  fileData: 'file_data',
  fileUrl: 'file_url',
}

/** The members of a part's `file` under the names that OpenAI's interface has for them. */
export const fileMembers = (file: unknown): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(file ?? {}).map(([name, value]) => [SPELLINGS[name] ?? name, value]))
