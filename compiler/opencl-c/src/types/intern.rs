//! The table of types.

use super::layout::{Field, Record};
use super::{AddressSpace, Enum, EnumId, FunctionType, QualType, RecordId, Scalar, TypeId, TypeKind};
use rustc_hash::FxHashMap;

/// All types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    kinds: Vec<TypeKind>,
    ids: FxHashMap<TypeKind, TypeId>,
    records: Vec<Record>,
    enums: Vec<Enum>,
}

impl Default for Types {
    fn default() -> Types {
        Types::new()
    }
}

impl Types {
    /// The types with fixed ids.
    pub fn new() -> Types {
        let mut types = Types {
            kinds: Vec::new(),
            ids: FxHashMap::default(),
            records: vec![Record::ndrange()],
            enums: Vec::new(),
        };
        for kind in [
            TypeKind::Error,
            TypeKind::Void,
            TypeKind::Sampler,
            TypeKind::Event,
            TypeKind::Queue,
            TypeKind::ClkEvent,
            TypeKind::ReserveId,
            TypeKind::Record(RecordId(0)),
        ] {
            types.intern(kind);
        }
        for scalar in Scalar::ALL {
            types.intern(TypeKind::Scalar(scalar));
        }
        for lanes in [2, 3, 4, 8, 16] {
            for scalar in Scalar::ALL {
                types.intern(TypeKind::Vector(scalar, lanes));
            }
        }
        // What `ndrange_t` holds, as clang's header declares it: `uint workDimension; size_t globalWorkOffset[3], globalWorkSize[3], localWorkSize[3];`
        let sizes = QualType::plain(types.array(QualType::plain(TypeId::SIZE_T), Some(3)));
        let fields = [QualType::plain(TypeId::UINT), sizes, sizes, sizes];
        let fields = fields.map(|ty| Field { ty, ..Field::default() }).to_vec();
        types.complete_record(RecordId(0), fields, false);
        types
    }

    /// The type of a kind.
    pub fn intern(&mut self, kind: TypeKind) -> TypeId {
        if let Some(&id) = self.ids.get(&kind) {
            return id;
        }
        let id = TypeId(self.kinds.len() as u32);
        self.kinds.push(kind.clone());
        self.ids.insert(kind, id);
        id
    }

    pub fn kind(&self, id: TypeId) -> &TypeKind {
        &self.kinds[id.index()]
    }

    /// How many types there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    pub fn is_empty(&self) -> bool {
        false
    }

    /// A vector of any number of lanes; one lane is the scalar.
    pub fn vector(&mut self, scalar: Scalar, lanes: u8) -> TypeId {
        match lanes {
            1 => TypeId::scalar(scalar),
            2 | 3 | 4 | 8 | 16 => TypeId::vector(scalar, lanes),
            _ => self.intern(TypeKind::Vector(scalar, lanes)),
        }
    }

    pub fn pointer(&mut self, pointee: QualType) -> TypeId {
        self.intern(TypeKind::Pointer(pointee))
    }

    /// A pointer to an unqualified type in an address space.
    pub fn pointer_to(&mut self, pointee: TypeId, space: AddressSpace) -> TypeId {
        self.pointer(QualType::in_space(pointee, space))
    }

    pub fn array(&mut self, element: QualType, len: Option<u64>) -> TypeId {
        self.intern(TypeKind::Array(element, len))
    }

    pub fn function(&mut self, function: FunctionType) -> TypeId {
        self.intern(TypeKind::Function(function))
    }

    /// A new struct or union, different from all others.
    pub fn new_record(&mut self, record: Record) -> TypeId {
        let id = RecordId(self.records.len() as u32);
        self.records.push(record);
        self.intern(TypeKind::Record(id))
    }

    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    pub(super) fn record_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.records[id.0 as usize]
    }

    /// A new enumeration, different from all others.
    pub fn new_enum(&mut self, new: Enum) -> TypeId {
        let id = EnumId(self.enums.len() as u32);
        self.enums.push(new);
        self.intern(TypeKind::Enum(id))
    }

    pub fn enumeration(&self, id: EnumId) -> &Enum {
        &self.enums[id.0 as usize]
    }

    pub fn enumeration_mut(&mut self, id: EnumId) -> &mut Enum {
        &mut self.enums[id.0 as usize]
    }

    /// The scalar that values of a type are, or its lanes: of arithmetic types, enumerations and vectors.
    pub fn element(&self, id: TypeId) -> Option<Scalar> {
        match *self.kind(id) {
            TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, _) => Some(scalar),
            TypeKind::Enum(id) => Some(self.enumeration(id).underlying),
            _ => None,
        }
    }

    /// An arithmetic type or an enumeration, as a scalar.
    pub fn as_scalar(&self, id: TypeId) -> Option<Scalar> {
        match self.kind(id) {
            TypeKind::Vector(..) => None,
            _ => self.element(id),
        }
    }

    pub fn as_vector(&self, id: TypeId) -> Option<(Scalar, u8)> {
        match *self.kind(id) {
            TypeKind::Vector(scalar, lanes) => Some((scalar, lanes)),
            _ => None,
        }
    }

    /// How many lanes a vector has; other types have one.
    pub fn lanes(&self, id: TypeId) -> u8 {
        self.as_vector(id).map_or(1, |(_, lanes)| lanes)
    }

    /// What a pointer points to.
    pub fn pointee(&self, id: TypeId) -> Option<QualType> {
        match *self.kind(id) {
            TypeKind::Pointer(pointee) => Some(pointee),
            _ => None,
        }
    }

    pub fn as_record(&self, id: TypeId) -> Option<RecordId> {
        match *self.kind(id) {
            TypeKind::Record(id) => Some(id),
            _ => None,
        }
    }

    pub fn as_array(&self, id: TypeId) -> Option<(QualType, Option<u64>)> {
        match *self.kind(id) {
            TypeKind::Array(element, len) => Some((element, len)),
            _ => None,
        }
    }

    pub fn as_function(&self, id: TypeId) -> Option<&FunctionType> {
        match self.kind(id) {
            TypeKind::Function(function) => Some(function),
            _ => None,
        }
    }
}
