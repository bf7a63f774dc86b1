// The tests' own set-up finds or installs a browser, so installing the package downloads none.
module.exports = { skipDownload: true };
