//! Devices that `millpond probe` has measured, as facts for advice: `--probed FOLDER=FILE.toml`.
//!
//! What always holds: what a folder's device does is what the file says; that the file is of that folder is for who gives it to know.

use std::path::Path;

use millpond_advice::facts::{Facts, Volume};
use millpond_device::profile::{Direction, MeasuredPoint, Order};
use millpond_server::Config;

/// A folder of the server, and how fast its device reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Probed {
    folder: String,
    read_us: f64,
}

impl Probed {
    /// Of an option.
    ///
    /// # Errors
    /// What is wrong with it, or with the file.
    pub fn parse(text: &str) -> Result<Probed, String> {
        let (folder, file) =
            text.split_once('=').ok_or("FOLDER=FILE.toml, as `millpond probe FOLDER --out FILE.toml` writes it")?;
        let config = Config::load(Path::new(file)).map_err(|error| error.to_string())?;
        let hierarchy = config.hierarchy();
        let points = hierarchy.devices.values().flat_map(|device| &device.points);
        let read_us = read_us(points).ok_or_else(|| format!("{file} has no measured reads by chance"))?;
        let separator = if folder.contains('\\') { '\\' } else { '/' };
        let folder = if folder.ends_with(separator) { folder.to_owned() } else { format!("{folder}{separator}") };
        Ok(Probed { folder, read_us })
    }

    /// Adds it to what is known. A folder on a volume that the server names is that volume.
    pub fn add_to(&self, facts: &mut Facts) {
        let is_on = |volume: &&mut Volume| self.folder.starts_with(&volume.name) && volume.name.len() > 1;
        match facts.volumes.iter_mut().filter(is_on).max_by_key(|volume| volume.name.len()) {
            Some(volume) => {
                volume.folder.clone_from(&self.folder);
                volume.probed_read_us = Some(self.read_us);
            }
            None => facts.volumes.push(Volume {
                name: self.folder.clone(),
                folder: self.folder.clone(),
                available_kb: None,
                probed_read_us: Some(self.read_us),
            }),
        }
    }
}

/// One read by chance at a time, of 8 KB or of what is nearest.
fn read_us<'p>(points: impl Iterator<Item = &'p MeasuredPoint>) -> Option<f64> {
    let reads = points.filter(|point| point.direction == Direction::Read && point.order == Order::Random);
    let distance = |point: &MeasuredPoint| (point.size_kb / 8.0).ln().abs() + f64::from(point.depth).ln();
    reads.min_by(|a, b| distance(a).total_cmp(&distance(b))).map(|point| point.latency_us)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measured_folder_is_its_volume_or_a_new_one() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("flash.toml");
        let point = |direction: &str, size_kb: u32, depth: u32, us: f64| {
            format!(
                "[[device.measured.point]]\ndirection = \"{direction}\"\norder = \"random\"\nsize_kb = {size_kb}\ndepth = {depth}\nlatency_us = {us}\n"
            )
        };
        let points = point("read", 64, 1, 400.0)
            + &point("read", 8, 32, 900.0)
            + &point("read", 8, 1, 90.5)
            + &point("write", 8, 1, 5.0);
        std::fs::write(&file, format!("[device.measured]\nmodel = \"measured\"\n{points}")).unwrap();
        let probed = Probed::parse(&format!("/flash/new={}", file.display())).unwrap();
        assert_eq!(probed, Probed { folder: "/flash/new/".into(), read_us: 90.5 });
        let volume = |name: &str| Volume { name: name.into(), folder: format!("{name}/data/"), ..Volume::default() };
        let mut facts = Facts { volumes: vec![volume("/"), volume("/flash")], ..Facts::default() };
        probed.add_to(&mut facts);
        assert_eq!((facts.volumes.len(), facts.volumes[1].probed_read_us), (2, Some(90.5)));
        facts.volumes.pop();
        probed.add_to(&mut facts);
        assert_eq!((facts.volumes.len(), facts.volumes[1].folder.as_str()), (2, "/flash/new/"));
        assert!(Probed::parse("/flash").is_err() && Probed::parse("/flash=/none.toml").is_err());
    }
}
