/** Id of the user "nobody" of Linux. */
const NOBODY = 65534;

/** Does something with the rights of an ordinary user, for whom the permissions of files count; for root they do not. */
export async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid!(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid!(0);
  }
}
